"""Headers that a user adds. They may hold secrets, so they never become part of any document."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from pydantic import SecretStr

from schemas.errors import UserError

Headers = tuple[tuple[str, SecretStr], ...]

_current: ContextVar[Headers] = ContextVar("assent_headers", default=())


def current_headers() -> Headers:
    """What requests carry beside our own headers."""
    return _current.get()


@contextmanager
def sending(headers: Headers) -> Iterator[None]:
    """Have every request inside carry some headers."""
    token = _current.set(headers)
    try:
        yield
    finally:
        _current.reset(token)


def parse_headers(given: Sequence[str]) -> Headers:
    """Headers from `NAME=VALUE`.

    Raises:
        UserError: One is not of that form; its value is not repeated.
    """
    headers = []
    for text in given:
        name, equals, value = text.partition("=")
        plain = name.replace("-", "").replace("_", "")
        # Other characters cannot be sent in a header.
        is_plain = text.isascii() and text.isprintable()
        if not equals or not plain.isalnum() or not is_plain:
            raise UserError(
                "a header is not of the form NAME=VALUE, in plain ASCII characters",
                where="--header",
                code="bad_option",
            )
        headers.append((name, SecretStr(value)))
    return tuple(headers)
