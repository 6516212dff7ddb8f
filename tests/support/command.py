"""The `assent` command as tests see it."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on stdout."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        """The lines on stderr."""
        return self.err.splitlines()


Assent = Callable[..., Ran]
