"""Collects the error codes that the sources can produce.

Whatever is given to something called `code` counts: a keyword, or the place of a parameter or field
of that name. Passing on a `code` that was received adds nothing.
"""

import ast
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from docs.generate.blocks import ROOT

# Places where a variable holds the code. A new one fails the test until it is listed here with
# the codes that can get there.
INDIRECT = {
    ("schemas/problems.py", "code"): frozenset({"enum", "const"}),
    ("tasks/benchmarks/rules.py", "code"): frozenset({"verdict_count", "rationale_count"}),
    ("tasks/outputs/validation.py", "code"): frozenset(
        {"min_length", "conditional_required", "conditional_forbidden", "one_of"}
    ),
    ("tasks/outputs/validation.py", "error.validator"): frozenset({"enum", "const"}),
    ("tasks/packs/faults.py", "code"): frozenset(
        {"type", "min_length", "minimum", "non_finite_number", "enum", "const", "format"}
    ),
    ("tasks/packs/references.py", "code"): frozenset(
        {"missing_file", "link_in_assets", "special_file"}
    ),
    ("tasks/expand.py", "f'unknown_{what}'"): frozenset({"unknown_item", "unknown_tag"}),
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Codes(NamedTuple):
    """What the sources say."""

    known: frozenset[str]
    places: frozenset[tuple[str, str]]
    """File and expression wherever a code cannot be read off."""


@cache
def collect() -> Codes:
    """Every code that is given to an error or a problem."""
    files = sorted(p for top in ("schemas", "tasks", "flows") for p in ROOT.glob(f"{top}/**/*.py"))
    trees = {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8")) for path in files
    }
    takers = dict(taker for tree in trees.values() for taker in _takers(tree))
    known, places = set[str](), set[tuple[str, str]]()
    for name, tree in trees.items():
        for given in _given(tree, takers, has_code=False):
            if isinstance(given, ast.Constant):
                known.add(str(given.value))
            else:
                places.add((name, ast.unparse(given)))
    for place in places & INDIRECT.keys():
        known |= INDIRECT[place]
    return Codes(frozenset(known - {""}), frozenset(places))


def _takers(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Functions and classes that take a `code` by position, and which position."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, Function):
            names = [argument.arg for argument in node.args.args if argument.arg != "self"]
        elif isinstance(node, ast.ClassDef):
            names = _fields(node)
        if "code" in names:
            yield node.name, names.index("code")  # type: ignore[attr-defined]  # both have names


def _fields(node: ast.ClassDef) -> list[str]:
    """What making an object takes by position: the fields, or what `__init__` names."""
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part.name == "__init__":
            return [argument.arg for argument in part.args.args if argument.arg != "self"]
    fields = (part.target for part in node.body if isinstance(part, ast.AnnAssign))
    return [field.id for field in fields if isinstance(field, ast.Name)]


def _given(node: ast.AST, takers: dict[str, int], *, has_code: bool) -> Iterator[ast.expr]:
    if isinstance(node, Function):
        arguments = (*node.args.args, *node.args.kwonlyargs)
        named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        yield from (default for name, default in named if default and name.arg == "code")
        has_code = any(argument.arg == "code" for argument in arguments)
    if isinstance(node, ast.Call):
        values = [keyword.value for keyword in node.keywords if keyword.arg == "code"]
        position = takers.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if position is not None and position < len(node.args):
            values.append(node.args[position])
        for value in values:
            yield from (v for v in _branches(value) if not _is_passed_on(v, has_code=has_code))
    for child in ast.iter_child_nodes(node):
        yield from _given(child, takers, has_code=has_code)


def _branches(value: ast.expr) -> tuple[ast.expr, ...]:
    return (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)


def _is_passed_on(value: ast.expr, *, has_code: bool) -> bool:
    if isinstance(value, ast.Attribute):
        return value.attr == "code"
    return has_code and isinstance(value, ast.Name) and value.id == "code"
