"""Benchmark packs as people write them: the manifest, the rows, and their public assets.

What belongs to one family of rows stands in `schemas.pack_families`. The models check types only;
rules between fields, paths and files are in `tasks.packs`.
"""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from schemas.base import Open
from schemas.pack_values import Filled, Flag, OptionalObject, wrong

Profile = Literal["target", "compat"]
"""How rows are checked and scored: with every correction, or as the public tool does."""

PUBLIC_ROOT = "assets/"
EVAL_ROOT = "hidden/"


def _none_is_empty(value: Any) -> Any:
    return {} if value is None else value


def _none_is_no_list(value: Any) -> Any:
    return [] if value is None else value


def _counter(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong("type", "expected a whole number such as 1, without quotes or a point")
    return value


class AssetRoots(Open):
    """Directories beside the manifest."""

    public: Filled = Field(default=PUBLIC_ROOT, description="What the one who answers may see.")
    eval: Filled = Field(default=EVAL_ROOT, description="What only the evaluation may see.")


class AssetDefaults(Open):
    """What holds for public assets that do not say otherwise."""

    read_only: Flag = Field(default=True, description="Whether assets are mounted read-only.")


class Defaults(Open):
    """What holds for rows that do not say otherwise."""

    family: Filled | None = Field(default=None, description="Family of rows that name none.")
    environment: OptionalObject = Field(
        default_factory=dict, description="Merged into the environment of every row, key by key."
    )


class Manifest(Open):
    """What all rows of a pack share."""

    id: Filled = Field(description="Names the pack.")
    version: Annotated[int, BeforeValidator(_counter)] = Field(
        description="A counter of its editions, from 1."
    )
    defaults: Annotated[
        Defaults, BeforeValidator(_none_is_empty, json_schema_input_type=Defaults | None)
    ] = Field(default=Defaults(), description="What rows need not repeat.")
    asset_roots: Annotated[
        AssetRoots, BeforeValidator(_none_is_empty, json_schema_input_type=AssetRoots | None)
    ] = Field(default=AssetRoots(), description="Directories of the files that rows name.")
    asset_defaults: Annotated[
        AssetDefaults, BeforeValidator(_none_is_empty, json_schema_input_type=AssetDefaults | None)
    ] = Field(default=AssetDefaults(), description="Settings of public assets.")


class PublicAsset(Open):
    """A file or directory that the one who answers gets."""

    path: str = Field(description="Below the public root.")
    mount: str | None = Field(
        default=None, description="Where it appears in the workspace; else `path`."
    )
    read_only: bool = Field(default=True, description="Else as the manifest says.")


class Row(Open):
    """One line of the rows file."""

    model_config = ConfigDict(frozen=True, extra="allow")

    id: Filled = Field(description="Names the row; unique in the file.")
    family: Filled | None = Field(
        default=None, description="Kind of row; else the manifest's default."
    )
    input: OptionalObject = Field(default_factory=dict, description="The public part.")
    eval: OptionalObject = Field(default_factory=dict, description="How an answer is judged.")
    assets: Annotated[
        list[dict[str, Any]],
        BeforeValidator(_none_is_no_list, json_schema_input_type=list[dict[str, Any]] | None),
    ] = Field(default_factory=list, description="Public files and directories.")
    environment: OptionalObject = Field(
        default_factory=dict, description="Where code runs; merged over the manifest's default."
    )
    metadata: OptionalObject = Field(default_factory=dict, description="Anything; carried along.")
