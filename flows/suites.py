"""Suites: from options, or from a file and options, to a checked value."""

import datetime
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from flows.options import new_run_id
from schemas.errors import UserError
from schemas.problems import describe
from schemas.sweep import Parameter, Suite, SweepEffort

PARAMETERS: tuple[str, ...] = get_args(Parameter)
SUITE_ENDINGS = (".yaml", ".yml")


def is_suite(path: str) -> bool:
    """Whether an argument names a suite rather than a benchmark."""
    return Path(path).suffix.lower() in SUITE_ENDINGS


def choose_suite(
    *,
    suite: str | None,
    benchmarks: Sequence[str],
    models: Sequence[str],
    vary: dict[str, list[Any]],
    name: str | None,
    **options: Any,
) -> Suite:
    """The suite of a file, or of options; a name or option that is given takes precedence.

    Raises:
        UserError: Something is missing, too much, or impossible.
        InvalidFile: The file is no suite.
    """
    asked = {"BENCH": benchmarks, "--model": models, "--vary": vary}
    if suite is not None:
        for what in (what for what, given in asked.items() if given):
            raise UserError(f"{what} and a suite exclude each other", code="usage")
        from flows.suite_files import read_suite

        base = read_suite(suite).model_dump(exclude_unset=True)
    else:
        for what in (what for what, given in asked.items() if not given):
            raise UserError(f"missing {what}", fix="see assent sweep --help", code="usage")
        require_known(vary)
        base = {"benchmarks": benchmarks, "models": models, "vary": vary}
    stated = {key: value for key, value in options.items() if value is not None}
    effort = {key: stated.pop(key) for key in SweepEffort.model_fields if key in stated}
    base["settings"] = base.get("settings", {}) | stated
    base["effort"] = base.get("effort", {}) | effort
    try:
        return Suite.model_validate(base if name is None else base | {"name": name})
    except ValidationError as error:
        raise bad_option(error) from None


def fresh_epoch(epoch: str | None) -> str:
    """An epoch that nobody has used.

    Raises:
        UserError: Another one was asked for.
    """
    if epoch:
        raise UserError("--fresh and --epoch exclude each other", code="usage")
    return f"fresh-{new_run_id(datetime.datetime.now(datetime.UTC))}"


def require_known(parameters: Sequence[str] | dict[str, Any]) -> None:
    """Refuse a parameter that cannot be varied.

    Raises:
        UserError: There is one.
    """
    for name in parameters:
        if name not in PARAMETERS:
            raise UserError(
                f"unknown parameter {name!r}",
                where="--vary",
                fix=f"use one of {', '.join(PARAMETERS)}",
                code="unknown_parameter",
            )


_WHERE = {"benchmarks": "BENCH", "models": "--model"}


def bad_option(error: ValidationError) -> UserError:
    """A wrong value of a suite, as an error about the option that gave it."""
    first = error.errors(include_url=False)[0]
    top, *rest = (str(part) for part in first["loc"])
    where = " ".join(["--vary", *rest[:1]]) if top == "vary" else _WHERE.get(top, _flag(top, rest))
    message = first["msg"][0].lower() + first["msg"][1:]
    return UserError(
        f"{message}, found {describe(first['input'])}",
        where=where,
        fix="see assent sweep --help",
        code="bad_option",
    )


def _flag(top: str, rest: Sequence[str]) -> str:
    return f"--{(rest[0] if rest else top).replace('_', '-')}"


def parse_vary(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Values per parameter, from `P=V1,V2`.

    Raises:
        UserError: A text has another form, or a parameter is unknown or comes twice.
    """
    found: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals:
            raise UserError(
                f"{text!r} is not of the form P=V1,V2",
                where="--vary",
                fix="for example n_samples=3,5,9",
                code="bad_option",
            )
        name = name.strip().replace("-", "_")
        require_known([name])
        if name in found:
            raise UserError(f"{name} comes twice", where="--vary", code="bad_option")
        found[name] = list(_read_values(name, values.split(",")))
    return found


def _read_values(name: str, texts: Sequence[str]) -> Iterator[Any]:
    read = {"n_samples": int, "paraphrase_variant": int, "temperature": float}.get(name, str)
    for text in texts:
        try:
            yield read(text.strip())
        except ValueError:
            wanted = "a whole number" if read is int else "a number"
            raise UserError(
                f"expected {wanted}, found {text!r}", where=f"--vary {name}", code="bad_option"
            ) from None
