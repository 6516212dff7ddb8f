"""From the bytes of a file to a checked model, or to every problem in it."""

from typing import Generic, NamedTuple, TypeVar

from pydantic import ValidationError

from schemas.base import Frozen
from schemas.benchmark import Benchmark
from schemas.errors import InvalidFile, Problem
from schemas.evaluation import Evaluation
from schemas.problems import problems_of, sort_problems
from schemas.strict_json import JsonValue, NotStrictJson, parse
from tasks.benchmarks.cautions import rule_warnings
from tasks.benchmarks.raw import objects_in
from tasks.benchmarks.rules import rule_problems

Model = TypeVar("Model", bound=Frozen)


class Checked(NamedTuple, Generic[Model]):
    """A model when there is no error, and everything that was found."""

    value: Model | None
    errors: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()

    def require(self, file: str) -> Model:
        """The model.

        Raises:
            InvalidFile: There are errors; it carries them all.
        """
        if self.value is None:
            raise InvalidFile(f"{len(self.errors)} problems", file=file, problems=self.errors)
        return self.value


def check_benchmark(data: bytes) -> Checked[Benchmark]:
    """Types and rules of a benchmark file, all findings at once."""
    try:
        raw = parse(data)
    except NotStrictJson as error:
        return Checked(None, error.problems)
    value, errors = _typed(Benchmark, raw)
    if isinstance(raw, dict):
        errors += rule_problems(raw)
        warnings = rule_warnings(raw)
    else:
        warnings = []
    return _sorted(Checked(value if not errors else None, tuple(errors), tuple(warnings)))


def check_evaluation(data: bytes) -> Checked[Evaluation]:
    """Types of an evaluation file, and verdict tuples of one length."""
    try:
        raw = parse(data)
    except NotStrictJson as error:
        return Checked(None, error.problems)
    value, errors = _typed(Evaluation, raw)
    errors += _ragged_verdicts(raw)
    return _sorted(Checked(value if not errors else None, tuple(errors)))


def _typed(model: type[Model], raw: JsonValue) -> tuple[Model | None, list[Problem]]:
    try:
        return model.model_validate(raw), []
    except ValidationError as error:
        return None, problems_of(error, raw)


def _ragged_verdicts(raw: JsonValue) -> list[Problem]:
    rows = [(i, item.get("analyst_verdicts")) for i, item in objects_in(raw, "items")]
    counts = [(i, len(row)) for i, row in rows if isinstance(row, list)]
    return [
        Problem(
            "verdict_count",
            f"$.items[{i}].analyst_verdicts",
            f"{count} verdicts, but the first item has {counts[0][1]}",
            "give one verdict per analyst on every item",
        )
        for i, count in counts
        if count != counts[0][1]
    ]


def _sorted(checked: Checked[Model]) -> Checked[Model]:
    errors, warnings = sort_problems(checked.errors), sort_problems(checked.warnings)
    return checked._replace(errors=tuple(errors), warnings=tuple(warnings))
