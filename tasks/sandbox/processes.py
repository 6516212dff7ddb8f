"""Watches a started sandbox: output up to a cap, time, memory, and an end that leaves nothing."""

import json
import os
import select
import selectors
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Final

from tasks.sandbox.interface import (
    KILLED,
    TIMED_OUT,
    Command,
    Enforcement,
    Outcome,
    SandboxFault,
)
from tasks.sandbox.memory import used_bytes
from tasks.sandbox.system_calls import call_filter

_POLL_SECONDS: Final = 0.1
_CHUNK: Final = 2**16
_REPORT_BYTES: Final = 2**20
_LIMITS: Final[Mapping[str, Enforcement]] = MappingProxyType(
    {
        "seconds": "polled",
        "processes": "kernel",
        "memory_per_process": "kernel",
        "memory": "polled",
        "space": "kernel",
        "output": "polled",
        "network": "kernel",
        "system_calls": "none" if call_filter() is None else "kernel",
    }
)

_running: "weakref.WeakSet[Process]" = weakref.WeakSet()


def stop_all() -> None:
    """Make every sandbox of this process end now; whoever waits for one goes on waiting."""
    for process in list(_running):
        process.stop()


class Process:
    """A sandbox that was started, from the outside."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        command: Command,
        info: int,
        report: int | None,
    ) -> None:
        self._process, self._command, self._report = process, command, report
        self._init = _first_process(info)
        self._started = self._init is not None
        self._lock = threading.Lock()
        _running.add(self)
        self._kept: dict[str, bytearray] = {}
        self._cut: set[str] = set()
        self._stopping = threading.Event()
        self._prepared = report is None
        self._deadline = time.monotonic() + (
            command.limits.seconds if self._prepared else command.limits.preparing_seconds
        )

    def stop(self) -> None:
        """Make it end now."""
        self._stopping.set()
        self._kill()

    def collect(self) -> Outcome:
        """Wait for the end; nothing of the command is left afterwards.

        Raises:
            SandboxFault: The sandbox did not start.
        """
        exceeded: str | None = None
        try:
            exceeded = self._watch()
        finally:
            self._kill()
            code = self._process.wait()
            self._await_others()
        if not self._started and exceeded is None and not self._stopping.is_set():
            said = bytes(self._kept.get("stderr", b"")).decode("utf-8", "replace").strip()
            raise SandboxFault(f"bubblewrap did not start: {said[-300:] or code}")
        timed_out = exceeded == "seconds"
        return Outcome(
            exit_code=TIMED_OUT if timed_out else KILLED if exceeded or code < 0 else code,
            stdout=bytes(self._kept.get("stdout", b"")),
            stderr=bytes(self._kept.get("stderr", b"")),
            report=bytes(self._kept.get("report", b"")),
            timed_out=timed_out,
            prepared=self._prepared,
            exceeded=exceeded,
            truncated=tuple(sorted(self._cut)),
            limits=_LIMITS,
        )

    def _watch(self) -> str | None:
        """Read until everything is closed; the name of the limit that was passed, if one was."""
        with selectors.DefaultSelector() as selector:
            for name, stream in (
                ("stdout", self._process.stdout),
                ("stderr", self._process.stderr),
            ):
                if stream is not None:
                    selector.register(stream, selectors.EVENT_READ, name)
            if self._report is not None:
                selector.register(self._report, selectors.EVENT_READ, "report")
            next_look = time.monotonic() + _POLL_SECONDS
            while selector.get_map():
                now = time.monotonic()
                if now >= self._deadline:
                    return "seconds"
                for key, _ in selector.select(min(self._deadline, next_look) - now):
                    if not self._read(key.fd, key.data):
                        selector.unregister(key.fileobj)
                if time.monotonic() >= next_look:
                    if self._uses_too_much():
                        return "memory"
                    next_look = time.monotonic() + _POLL_SECONDS
        return self._outlive()

    def _outlive(self) -> str | None:
        """All streams are closed, which does not mean that the command has ended."""
        while True:
            left = self._deadline - time.monotonic()
            if left <= 0:
                return "seconds"
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(min(left, _POLL_SECONDS))
                return None
            if self._uses_too_much():
                return "memory"

    def _read(self, descriptor: int, name: str) -> bool:
        """Keep the next bytes as far as the cap goes; false at the end."""
        data = os.read(descriptor, _CHUNK)
        if not data:
            if name == "report":
                self._prepared = True
                self._deadline = time.monotonic() + self._command.limits.seconds
            return False
        kept = self._kept.setdefault(name, bytearray())
        most = _REPORT_BYTES if name == "report" else self._command.limits.output_bytes
        room = most - len(kept)
        if room < len(data):
            self._cut.add(name)
        kept += data[: max(room, 0)]
        return True

    def _uses_too_much(self) -> bool:
        limit = self._command.limits.memory_bytes
        return used_bytes(self._process.pid, limit) > limit

    def _kill(self) -> None:
        with self._lock:
            if self._init is not None:
                # The first process of a pid namespace takes all others with it.
                with suppress(ProcessLookupError):
                    signal.pidfd_send_signal(self._init, signal.SIGKILL)
            elif not self._started:
                self._process.kill()

    def _await_others(self) -> None:
        """The first process ends last: the system waits for all others before."""
        if self._init is not None:
            select.select([self._init], [], [])
            with self._lock:
                # Whoever stops us later must not signal what has our number by then.
                os.close(self._init)
                self._init = None
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        if self._report is not None:
            os.close(self._report)


def _first_process(info: int) -> int | None:
    """A handle on the first process of the sandbox; `None` when it never came to be."""
    data = b""
    try:
        while chunk := os.read(info, 4096):
            data += chunk
        return os.pidfd_open(int(json.loads(data)["child-pid"]))
    except (ValueError, KeyError, OSError):
        return None
    finally:
        os.close(info)
