"""Keys that were read from somewhere else than the environment. They are part of no document."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from pydantic import SecretStr

Keys = Mapping[str, SecretStr]

_NONE: Keys = {}
_current: ContextVar[Keys] = ContextVar("assent_keys", default=_NONE)


def current_keys() -> Keys:
    """Keys by provider."""
    return _current.get()


@contextmanager
def using_keys(keys: Keys) -> Iterator[None]:
    """Have every provider inside use some keys, unless the environment has one for it."""
    token = _current.set(keys)
    try:
        yield
    finally:
        _current.reset(token)
