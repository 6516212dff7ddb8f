"""The kinds of values that fields of packs hold, checked without ever showing them.

Half of a pack is hidden, so no message repeats a value: it says what is wrong with it. Each kind
says the same thing to a JSON Schema.
"""

import math
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

TEXT_SCHEMA: dict[str, Any] = {"type": "string", "pattern": r"\S"}
_STRING_OR_NUMBER: dict[str, Any] = {"anyOf": [TEXT_SCHEMA, {"type": "number"}]}


def wrong(code: str, message: str) -> PydanticCustomError:
    """The error of a value; the code is one of ours."""
    return PydanticCustomError(code, message)


def kind_of(value: object) -> str:
    """What a value is, without the value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    for kinds, word in _KINDS:
        if isinstance(value, kinds):
            return word
    return f"a {type(value).__name__}"


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (str, "text"),
    ((int, float), "a number"),
    (dict, "an object"),
    ((list, tuple), "a list"),
)


def _mistyped(expected: str, value: object) -> PydanticCustomError:
    return wrong("type", f"expected {expected}, found {kind_of(value)}")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _mistyped("text", value)
    return value


def _filled(value: Any) -> str:
    text = _text(value)
    if not text or text.isspace():
        raise wrong("min_length", "must not be blank")
    return text


def is_number(value: object) -> bool:
    """Whether a value is a number as JSON has them; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: Any) -> int | float:
    if not is_number(value):
        raise _mistyped("a number", value)
    if isinstance(value, float) and not math.isfinite(value):
        raise wrong("non_finite_number", "must be a finite number")
    return value  # type: ignore[no-any-return]  # it is one


def _not_negative(value: Any) -> int | float:
    number = _number(value)
    if number < 0:
        raise wrong("minimum", "must not be below 0")
    return number


def _seconds(value: Any) -> int | float:
    number = _number(value)
    if number <= 0:
        raise wrong("minimum", "must be above 0")
    return number


def _share(value: Any) -> int | float:
    number = _number(value)
    if not 0 <= number <= 1:
        raise wrong("minimum", "must be between 0 and 1")
    return number


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _mistyped("true or false", value)
    return value


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _mistyped("an object", value)
    return value


def _optional_object(value: Any) -> dict[str, Any]:
    return {} if value is None else _object(value)


def _text_or_object(value: Any) -> str | dict[str, Any]:
    if isinstance(value, dict):
        return value
    if not isinstance(value, str):
        raise _mistyped("text or an object", value)
    return _filled(value)


def _string_or_number(value: Any) -> str | int | float:
    if isinstance(value, str):
        return _filled(value)
    if not is_number(value):
        raise _mistyped("text or a number", value)
    return _number(value)


def _listed(value: Any) -> Any:
    """A value that may stand alone, as a list of one; other kinds are left to be refused."""
    return value if isinstance(value, list | dict) or value is None else [value]


def _listing(entry: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "minItems": 1, "items": entry}


def _typed(check: Callable[[Any], Any], schema: dict[str, Any]) -> tuple[Any, Any]:
    return PlainValidator(check), WithJsonSchema(schema)


Text = Annotated[str, *_typed(_text, {"type": "string"})]
"""Any text, also an empty one."""

Filled = Annotated[str, *_typed(_filled, TEXT_SCHEMA)]
"""Text with at least one character that is not blank."""

Number = Annotated[float, *_typed(_number, {"type": "number"})]
NotNegative = Annotated[float, *_typed(_not_negative, {"type": "number", "minimum": 0})]
Seconds = Annotated[float, *_typed(_seconds, {"type": "number", "exclusiveMinimum": 0})]
Share = Annotated[float, *_typed(_share, {"type": "number", "minimum": 0, "maximum": 1})]
Flag = Annotated[bool, *_typed(_flag, {"type": "boolean"})]
Object = Annotated[dict[str, Any], *_typed(_object, {"type": "object"})]
OptionalObject = Annotated[
    dict[str, Any], *_typed(_optional_object, {"anyOf": [{"type": "object"}, {"type": "null"}]})
]
"""An object; null stands for an empty one."""

TextOrObject = Annotated[
    str | dict[str, Any],
    *_typed(_text_or_object, {"anyOf": [TEXT_SCHEMA, {"type": "object"}]}),
]
StringOrNumber = Annotated[str | float, *_typed(_string_or_number, _STRING_OR_NUMBER)]
Filleds = Annotated[list[Filled], Field(min_length=1)]
StringsOrNumbers = Annotated[list[StringOrNumber], Field(min_length=1)]
Answer = Annotated[
    StringsOrNumbers,
    BeforeValidator(_listed),
    WithJsonSchema({"anyOf": [*_STRING_OR_NUMBER["anyOf"], _listing(_STRING_OR_NUMBER)]}),
]
"""One accepted answer, or a list of them."""

Command = Annotated[
    Filleds,
    BeforeValidator(_listed),
    WithJsonSchema({"anyOf": [TEXT_SCHEMA, _listing(TEXT_SCHEMA)]}),
]
"""A line for the shell, or a program with its arguments."""
