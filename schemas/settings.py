"""Settings of the environment: `assent.toml`, then `ASSENT_*` variables; flags come on top.

Read by the command line and by stage modules only.
"""

import os
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from schemas.errors import UserError

EngineName = Literal["auto", "embedded", "prefect"]


class PriceOverride(BaseModel):
    """What a model costs here, in US dollars for a million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input_per_million: Decimal = Field(ge=0, description="Tokens of requests.")
    output_per_million: Decimal = Field(ge=0, description="Tokens of replies.")


class Settings(BaseSettings):
    """What a working directory or a machine decides once for all runs."""

    model_config = SettingsConfigDict(
        env_prefix="ASSENT_", toml_file="assent.toml", frozen=True, extra="ignore"
    )

    home: Path = Field(default=Path(".assent"), description="State directory.")
    store: str | None = Field(
        default=None, description="Sample store: a SQLAlchemy URL; a SQLite file when not set."
    )
    engine: EngineName = Field(default="auto", description="Who carries out the stages.")
    prices: dict[str, PriceOverride] = Field(
        default={}, description='Prices by model, as `[prices."provider/model"]`.'
    )

    key_blocks: dict[str, str] = Field(
        default={}, description="Names of Prefect Secret blocks that hold keys, by provider."
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Environment before file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def read_secret(variable: str) -> SecretStr | None:
    """A key, or an address that may hold one, from the environment; None when it is not set."""
    value = os.environ.get(variable)  # noqa: TID251 - the one place that reads keys
    return SecretStr(value) if value else None


def read_settings() -> Settings:
    """The settings that hold in the current directory.

    Raises:
        UserError: `assent.toml` or an `ASSENT_*` variable is wrong.
    """
    try:
        return Settings()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(
            f"not valid TOML: {error}", where="assent.toml", code="bad_settings"
        ) from None
    except OSError as error:
        raise UserError(
            f"cannot be read: {error.strerror}", where="assent.toml", code="bad_settings"
        ) from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(map(str, first["loc"]))
        raise UserError(
            f"setting {name!r}: {first['msg']}",
            where=f"assent.toml or ASSENT_{name.upper()}",
            code="bad_settings",
        ) from None
