"""Ids that become file names."""

_RESERVED_BENCHMARKS = {"schemas", "artifacts"}
_RESERVED_RUNS = {"output", "results", "metrics", "eval"}
_LONGEST_BYTES = 200


def file_name_fault(name: str) -> str | None:
    """Why a name cannot be a plain file name on every system; None when it can."""
    if not name.strip():
        return "it is empty"
    if "/" in name or "\\" in name:
        return "it contains a slash"
    if any(not c.isprintable() for c in name):
        return "it contains a control character"
    if name.startswith("."):
        return "it starts with a dot"
    if len(name.encode("utf-8", "surrogatepass")) > _LONGEST_BYTES:
        return f"it is longer than {_LONGEST_BYTES} bytes"
    return None


def benchmark_id_fault(name: str) -> str | None:
    """Why a benchmark id cannot name a directory of results; None when it can."""
    if name in _RESERVED_BENCHMARKS:
        return f"{name!r} is reserved for files of our own"
    return file_name_fault(name)


def run_id_fault(name: str) -> str | None:
    """Why a run id cannot name result files; None when it can."""
    if name.lower() in _RESERVED_RUNS:
        return f"{name!r} says nothing about the run"
    return file_name_fault(name)
