"""Output documents and old result files for tests, with strategies for many of them."""

import copy
from typing import Any

from hypothesis import strategies as st

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
