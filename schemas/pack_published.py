"""The row of a pack as a JSON Schema says it: what every row has, and what its family adds."""

from typing import Any

from schemas.pack import Row
from schemas.pack_families import FAMILIES


class AnyRow(Row):
    """One line of the rows file."""

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The schema of every row, with the rules of each family when the row names it."""
        schema = super().model_json_schema(*args, **kwargs)
        parts: dict[str, Any] = {}
        cases = []
        for family, rules in FAMILIES.items():
            inner = {}
            for key, model in (("input", rules.input), ("eval", rules.eval)):
                part = model.model_json_schema(*args, **kwargs)
                parts |= part.pop("$defs", {})
                inner[key] = part
            named = {"properties": {"family": {"const": family}}, "required": ["family"]}
            cases.append({"if": named, "then": {"properties": inner, "required": list(inner)}})
        return {**schema, "allOf": cases, "$defs": parts}
