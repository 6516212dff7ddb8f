"""The last check before a file becomes visible: it obeys its own published schema."""

from functools import cache
from typing import Any

from jsonschema_rs import validator_for

from schemas.published import stored


class NotAsPublished(AssertionError):
    """We were about to write a document that breaks our own schema: a bug."""


@cache
def _validator(name: str, part: str | None) -> Any:
    schema = stored(name)
    if part is None:
        return validator_for(schema)
    return validator_for({"$ref": f"#/$defs/{part}", "$defs": schema["$defs"]})


def require_valid(name: str, document: Any, part: str | None = None) -> None:
    """Refuse a document, or a named part of one, that breaks its schema.

    Raises:
        NotAsPublished: It does; the message says where.
    """
    if not _validator(name, part).is_valid(document):
        raise NotAsPublished(_explain(name, document, part))


def _explain(name: str, document: Any, part: str | None) -> str:
    from jsonschema import Draft202012Validator

    schema = stored(name)
    if part is not None:
        schema = {"$ref": f"#/$defs/{part}", "$defs": schema["$defs"]}
    errors = Draft202012Validator(schema).iter_errors(document)
    first = next(errors, None)
    where = first.json_path if first else "$"
    what = first.message[:200] if first else "refused"
    return f"{name}{f' ({part})' if part else ''}: {where}: {what}"
