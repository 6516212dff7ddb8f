"""One line of a rows file: read strictly, typed, and put under the rules of its family."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from pydantic import ValidationError

from schemas.errors import Problem
from schemas.pack import Manifest, Profile, Row
from schemas.pack_families import DEFERRED, FAMILIES, FAMILY_ALIASES, Rubric
from schemas.problems import one_line
from schemas.strict_json import JsonValue, NotStrictJson, parse
from tasks.packs.choices import MOST_CHOICES, expected_choices
from tasks.packs.faults import caution, config, model_problems
from tasks.packs.lines import MAX_LINE_BYTES, Line

_KNOWN = frozenset(Row.model_fields)


class Options(NamedTuple):
    """How strictly rows are read."""

    profile: Profile = "target"
    strict: bool = False


class CheckedRow(NamedTuple):
    """The row when its types are right, its family after aliases, and everything found."""

    row: Row | None
    family: str = ""
    task_id: str | None = None
    errors: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


def read_row(line: Line) -> tuple[JsonValue, tuple[Problem, ...]]:
    """The value of a line, or why there is none; the places of problems are those of the line."""
    if line.data is None:
        message = f"the line is longer than {MAX_LINE_BYTES // 2**20} MiB"
        return None, (config("too_large", (), message, "split the row, or move data to assets"),)
    try:
        value = parse(line.data, exact=True)
    except NotStrictJson as error:
        return None, tuple(_of_form(problem) for problem in error.problems)
    if not isinstance(value, dict):
        message = "each line must be one JSON object"
        return None, (config("type", (), message, "write one row per line"),)
    return value, ()


def _of_form(problem: Problem) -> Problem:
    """A problem of the JSON, without the piece of text that shows it: that may be hidden."""
    message = problem.message.removeprefix("line 1, ").partition(", found ")[0]
    message = message.removesuffix(" (first repeated on line 1)")
    if problem.code == "non_finite_number":
        message = "is not a finite number"
    elif problem.code == "duplicate_key" and problem.location.startswith("$.eval"):
        message = "a key stands here twice"
    return problem._replace(type="ConfigError", message=message)


def check_row(raw: dict[str, Any], manifest: Manifest, options: Options) -> CheckedRow:
    """Types and rules of one row; files are not looked at."""
    task_id = raw.get("id") if isinstance(raw.get("id"), str) else None
    warnings = list(_unknown_keys(raw))
    try:
        row = Row.model_validate(raw)
    except ValidationError as error:
        found = CheckedRow(None, "", task_id, tuple(model_problems(error, raw)), tuple(warnings))
        return _strictly(found, options)
    name = row.family or manifest.defaults.family
    if name is None:
        message = "missing key 'family', and the manifest has no default"
        missing = (config("required", (), message, "add 'family'"),)
        return _strictly(CheckedRow(None, "", task_id, missing, tuple(warnings)), options)
    family = FAMILY_ALIASES.get(name, name)
    if family != name:
        message = f"{name!r} is an old name of {family!r}"
        warnings.append(caution("old_name", ("family",), message, f"write {family!r}"))
    errors = list(_clashes(row))
    if family in FAMILIES:
        errors += _family_problems(row, family, options.profile)
    else:
        warnings.append(_unknown_family(family))
    return _strictly(CheckedRow(row, family, task_id, tuple(errors), tuple(warnings)), options)


def _strictly(found: CheckedRow, options: Options) -> CheckedRow:
    """With `--strict`, unknown keys and families are errors."""
    if not options.strict:
        return found
    strict = [p for p in found.warnings if p.code in ("additional_property", "unknown_row_family")]
    kept = tuple(p for p in found.warnings if p not in strict)
    errors = (*found.errors, *(p._replace(type="ConfigError") for p in strict))
    return found._replace(errors=errors, warnings=kept)


def _unknown_keys(raw: dict[str, Any]) -> Iterator[Problem]:
    unknown = raw.keys() - _KNOWN
    if unknown:
        names = one_line(", ".join(repr(key) for key in sorted(unknown)), 400)
        yield caution("additional_property", (), f"unknown {names}", "remove or correct it")


def _unknown_family(family: str) -> Problem:
    known = ", ".join(FAMILIES)
    why = "has no verifier yet" if family in DEFERRED else "is not known"
    message = f"family {one_line(repr(family))} {why}: its rows stay pending"
    return caution("unknown_row_family", ("family",), message, f"known: {known}")


def _clashes(row: Row) -> Iterator[Problem]:
    """All values of a row share one name space."""
    assets = {"assets"} if row.assets else set[str]()
    twice = sorted((row.input.keys() & row.eval.keys()) | assets & (row.input | row.eval).keys())
    if twice:
        names = one_line(", ".join(map(repr, twice)))
        yield config("name_clash", (), f"{names} would name two resources", "rename one")


def _family_problems(row: Row, family: str, profile: Profile) -> Iterator[Problem]:
    rules = FAMILIES[family]
    sound = True
    for part, model in (("input", rules.input), ("eval", rules.eval)):
        value = getattr(row, part)
        try:
            model.model_validate(value)
        except ValidationError as error:
            for problem in model_problems(error, value, (part,)):
                if profile == "compat" and _is_zero_timeout(problem, row):
                    continue
                sound = False
                yield problem
    if sound and family in _RULES:
        yield from _RULES[family](row, profile)


def _is_zero_timeout(problem: Problem, row: Row) -> bool:
    """The public tool lets such a row load, and refuses it when it is verified."""
    return (
        problem.location == "$.eval.tests.timeout_seconds"
        and problem.code == "minimum"
        and (row.eval["tests"]["timeout_seconds"] == 0)
    )


def _choice_problems(row: Row, profile: Profile) -> Iterator[Problem]:
    if profile == "compat":
        return
    choices, answer = row.input["choices"], row.eval["answer"]
    if len(choices) > MOST_CHOICES:
        message = f"has {len(choices)} choices, and there are {MOST_CHOICES} letters"
        yield config("too_many_choices", ("input", "choices"), message, "drop some")
        return
    for position in expected_choices(choices, answer).unknown:
        path = ("eval", "answer", position) if isinstance(answer, list) else ("eval", "answer")
        fix = "write an index from 0, a letter, or the text of a choice"
        yield config("unknown_choice", path, "names no choice", fix)


def _rubric_problems(row: Row, profile: Profile) -> Iterator[Problem]:
    rubric = row.eval["rubric"]
    if profile == "compat" or not isinstance(rubric, dict):
        return
    if rubric.get("type") != "contains_any":
        return
    known = {key: value for key, value in rubric.items() if key in Rubric.model_fields}
    try:
        Rubric.model_validate(known)
    except ValidationError as error:
        yield from model_problems(error, known, ("eval", "rubric"))


def _policy_problems(row: Row, _: Profile) -> Iterator[Problem]:
    if "candidate_policy" in row.eval and "candidate_policy" in row.eval["tests"]:
        message = "candidate_policy stands in eval and in eval.tests"
        yield config("two_policies", ("eval",), message, "keep one")


_RULES = {
    "multiple_choice": _choice_problems,
    "free_response": _rubric_problems,
    "repo_patch": _policy_problems,
}
