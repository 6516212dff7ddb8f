"""One message after the other over a pair of pipes: a length, then JSON."""

import json
import os
from typing import Any

from tasks.sandbox.inside.encoding import MOST_BYTES, NotData


class Closed(BaseException):
    """The other side is gone. No Exception: tests that expect an error do not mean this one."""


class Link:
    """Both directions of talk with the other side."""

    def __init__(self, read: int, write: int) -> None:
        self._read, self._write = read, write

    def send(self, message: Any) -> None:
        """Send one message.

        Raises:
            NotData: It is too long, and nothing was sent.
        """
        data = json.dumps(message, ensure_ascii=True, allow_nan=False).encode("ascii")
        if len(data) > MOST_BYTES:
            raise NotData("a value is too large")
        view = memoryview(len(data).to_bytes(4, "big") + data)
        try:
            while view:
                view = view[os.write(self._write, view) :]
        except OSError:
            raise Closed from None

    def receive(self) -> Any:
        """The next message."""
        length = int.from_bytes(self._exactly(4), "big")
        if length > MOST_BYTES:
            raise Closed
        try:
            return json.loads(self._exactly(length))
        except (ValueError, RecursionError):
            raise Closed from None

    def _exactly(self, length: int) -> bytes:
        parts = []
        while length:
            try:
                part = os.read(self._read, min(length, 2**20))
            except OSError:
                part = b""
            if not part:
                raise Closed
            parts.append(part)
            length -= len(part)
        return b"".join(parts)
