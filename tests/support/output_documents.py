"""Output documents and old result files for tests, with strategies for many of them."""

import copy
from typing import Any

from hypothesis import strategies as st

from tasks.outputs.legacy_metadata import TARGETS

Row = dict[str, Any]

VALID: Row = {
    "$schema": "outputs/schemas/benchmark_schema.json",
    "schema_version": "v1",
    "metadata": {
        "benchmark": {"name": "arc", "version": "2"},
        "model": {"name": "m1", "provider": "hf", "parameters": {"temperature": 0.2}},
        "run": {
            "id": "r1",
            "started_at": "2031-02-03T04:05:06Z",
            "finished_at": "2031-02-03T04:06:06.5+00:00",
            "git": {"commit": "abc", "dirty": False},
            "command": "run",
            "host": {"os": "linux", "cores": 2},
        },
        "tags": ["nightly"],
        "notes": "fine",
    },
    "results": {
        "status": "ok",
        "metrics": {"acc": 0.5, "n": 3},
        "details": {"anything": [1, None]},
        "cases": [{"id": "c1"}],
        "artifacts": [{"role": "log", "path": "outputs/artifacts/r1/log.txt", "bytes": 3}],
    },
}


def valid(**changes: Any) -> Row:
    """A valid document; `metadata__run__id="x"` changes one place, `...` removes it."""
    document = copy.deepcopy(VALID)
    for dotted, value in changes.items():
        *path, last = dotted.split("__")
        inner = document
        for key in path:
            inner = inner[key]
        if value is ...:
            del inner[last]
        else:
            inner[last] = value
    return document


def legacy(**changes: Any) -> Row:
    """An old result file of the shape `metadata` and `metrics`."""
    metadata = {
        "benchmark": "q",
        "model": "k",
        "provider": "p",
        "started_at": "2030-01-01T00:00:00Z",
        "run_id": "g1",
    }
    return {"metadata": metadata, "metrics": {"acc": 0.5}} | changes


class Leaves:
    """Hands out values that occur nowhere else, so that each can be found again."""

    def __init__(self) -> None:
        self.number = 0

    def fresh(self, kind: str) -> Any:
        self.number += 1
        return f"leaf-{self.number}" if kind == "text" else self.number + 0.5


KEYS = st.sampled_from(["alpha", "beta", "gamma", "note", "team", "seed", "extra", "task", "suite"])
SHAPES = st.recursive(
    st.sampled_from(["text", "number"]),
    lambda inner: st.dictionaries(KEYS, inner, min_size=1, max_size=3),
    max_leaves=6,
)


def filled(shape: Any, leaves: Leaves) -> Any:
    """A value of some shape in which every leaf is unique."""
    if isinstance(shape, dict):
        return {key: filled(inner, leaves) for key, inner in shape.items()}
    return leaves.fresh(shape)


@st.composite
def legacy_documents(draw: st.DrawFn) -> Row:
    """Old result files of every shape, all required facts given, every leaf unique."""
    leaves = Leaves()
    facts = {
        "benchmark": leaves.fresh("text"),
        "model": leaves.fresh("text"),
        "provider": leaves.fresh("text"),
        "timestamp": "2030-01-02T03:04:05Z",
    }
    extra = st.dictionaries(KEYS, SHAPES, max_size=4)
    source = draw(st.sampled_from(["config", "metadata"]))
    facts |= filled(draw(extra), leaves)
    document: Row = {source: facts}
    if source == "config":
        document["results"] = filled(draw(extra), leaves)
    else:
        document["metrics"] = filled(draw(extra), leaves)
    if draw(st.booleans()):
        # Keys of their own: the same detail said twice and differently is refused.
        inner = {f"detail_{key}": shape for key, shape in draw(extra).items()}
        document["details"] = filled(inner, leaves)
    others = {f"top_{key}": shape for key, shape in draw(extra).items()}
    document |= filled(others, leaves)
    return document


def leaves_of(value: Any) -> set[Any]:
    """All scalars inside a value."""
    if isinstance(value, dict):
        return set().union(*(leaves_of(inner) for inner in value.values()))
    if isinstance(value, list):
        return set().union(*(leaves_of(inner) for inner in value))
    return {value}


# Every key that migration knows, so that they meet in ways that nobody thought of.
_METADATA_KEYS = {word for t in TARGETS for alias in t.aliases for word in alias.split(".")}
_RESULTS_KEYS = {"metrics", "scores", "results", "details", "cases", "artifacts", "files"}
_FAILURE_KEYS = {"error", "exception", "status", "success", "traceback", "message", "type"}
_OTHER_KEYS = {"config", "metadata", "schema_version", "legacy", "legacy_metrics", "value", "path"}
_OLD_KEYS = st.sampled_from(
    sorted(_METADATA_KEYS | _RESULTS_KEYS | _FAILURE_KEYS | _OTHER_KEYS | {"role", "x_own"})
)


@st.composite
def tangled_documents(draw: st.DrawFn) -> Row:
    """Old result files in which known keys stand anywhere; every leaf is a text of its own."""
    number = 0

    def leaf(_: object) -> str:
        nonlocal number
        number += 1
        return f"<{number}>"

    values = st.recursive(
        st.none().map(leaf),
        lambda inner: (
            st.dictionaries(_OLD_KEYS, inner, min_size=1, max_size=3)
            | st.lists(inner, min_size=1, max_size=2)
        ),
        max_leaves=5,
    )
    objects = st.dictionaries(_OLD_KEYS, values, max_size=5)
    document = draw(objects)
    left, right = draw(st.sampled_from([("config", "results"), ("metrics", "metadata")]))
    for key in (left, right, *draw(st.lists(st.sampled_from(["results", "config"]), max_size=1))):
        document[key] = draw(objects)
    return document
