"""Tables of fields and columns, from the schemas and row models that the program itself uses."""

import json
from typing import Any

from schemas import pack_tables, published, tables
from schemas.base import Frozen
from schemas.settings import Settings
from tasks.storage.tables import arrow_schema

Schema = dict[str, Any]

_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}
_FORMATS = {"date": "date", "date-time": "date and time", "path": "path"}


def schema_tables(name: str) -> str:
    """A published JSON Schema: one table for the document, one for each object inside."""
    schema = published.stored(name)
    parts = {"": schema} | {title: schema["$defs"][title] for title in _in_order(schema)}
    bodies = [_object(title, part, schema.get("$defs", {})) for title, part in parts.items()]
    return "\n" + "\n\n".join(bodies) + "\n\n"


def column_table(row: str) -> str:
    """A Parquet table: columns, types and meanings."""
    model: type[Frozen] = getattr(pack_tables if row.startswith("Pack") else tables, row)
    lines = ["| column | type | null | meaning |", "|---|---|---|---|"]
    for field in arrow_schema(model):
        meaning = model.model_fields[field.name].description or ""
        nullable = "yes" if field.nullable else ""
        lines.append(_row(f"`{field.name}`", str(field.type), nullable, meaning))
    return "\n".join(["", *lines, "", ""])


def settings_table() -> str:
    """The settings: environment variable, key in assent.toml, default, meaning."""
    lines = ["| variable | key in `assent.toml` | default | meaning |", "|---|---|---|---|"]
    schema = Settings.model_json_schema()
    for name, field in schema["properties"].items():
        default = field.get("default")
        shown = "not set" if default is None else f"`{default}`"
        allowed = f" O{type_name(field)[1:]}." if "enum" in field else ""
        variable = f"`ASSENT_{name.upper()}`"
        lines.append(_row(variable, f"`{name}`", shown, field["description"] + allowed))
    return "\n".join(["", *lines, "", ""])


def type_name(schema: Schema) -> str:
    """The type of a value in plain words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema or "oneOf" in schema:
        parts = [type_name(part) for part in schema.get("anyOf") or schema["oneOf"]]
        return " or ".join(dict.fromkeys(parts))
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return "one of " + ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        items = schema.get("items")
        return f"list of {_inner(items)}" if items else "list"
    if schema.get("type") == "object":
        values = schema.get("additionalProperties")
        for by_pattern in schema.get("patternProperties", {}).values():
            values = by_pattern
        return f"map of {_inner(values)}" if isinstance(values, dict) and values else "object"
    plain = _FORMATS.get(schema.get("format", "")) or _WORDS.get(schema.get("type", ""))
    return plain or "anything"


def _inner(schema: Schema) -> str:
    name = type_name(schema)
    return f"({name})" if " or " in name or name.startswith("one of") else name


def _in_order(schema: Schema) -> list[str]:
    """Names of inner objects in the order in which the document mentions them."""
    found: list[str] = []

    def walk(part: Any) -> None:
        if isinstance(part, list):
            for each in part:
                walk(each)
        elif isinstance(part, dict):
            name = str(part.get("$ref", "")).rpartition("/")[2]
            if name and name not in found:
                found.append(name)
                walk(schema["$defs"][name].get("properties", {}))
            for key, value in part.items():
                if key != "$defs":
                    walk(value)

    walk(schema.get("properties", {}))
    return found


def _object(title: str, schema: Schema, known: dict[str, Schema]) -> str:
    lines = [f"**{title}.** {schema['description'].replace('LATER. ', '')}", ""] if title else []
    lines += ["| field | type | default | meaning |", "|---|---|---|---|"]
    required = schema.get("required", [])
    for name, field in schema.get("properties", {}).items():
        default = "required" if name in required else _default(field)
        # A field that says the same as the object it holds has no description of its own.
        inner = known.get(str(field.get("$ref", "")).rpartition("/")[2], {})
        meaning = str(field.get("description") or inner.get("description", ""))
        meaning = meaning.replace("LATER. ", "*Later.* ")
        lines.append(_row(f"`{name}`", type_name(field), default, meaning))
    if schema.get("additionalProperties") is not False:
        lines.append(_row("any other", "anything", "", "Carried along unchanged."))
    return "\n".join(lines)


def _default(field: Schema) -> str:
    value = field.get("default")
    return "as below" if isinstance(value, dict) and value else f"`{json.dumps(value)}`"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
