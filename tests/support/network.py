"""A pytest plugin that keeps this process off the network: loopback and Unix sockets only.

An audit hook sees every Python socket, asyncio's included, and cannot be undone by the code under
test. It does not reach child processes, nor libraries that open sockets in C.
"""

import ipaddress
import socket
import sys
from typing import Any

LOCAL_NAMES = {"", "localhost", "0.0.0.0", "::"}


class NetworkBlocked(RuntimeError):
    """A test tried to leave this machine. No OSError, so that nobody retries it."""


def pytest_configure() -> None:
    sys.addaudithook(_refuse_remote)


def _refuse_remote(event: str, args: tuple[Any, ...]) -> None:
    if event in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
        sock, address = args[0], args[1]
        if sock.family in {socket.AF_INET, socket.AF_INET6} and address:
            _require_local(address[0])
    elif event == "socket.getaddrinfo":
        _require_local(args[0])


def _require_local(host: str | bytes | None) -> None:
    name = host.decode() if isinstance(host, bytes) else host or ""
    if name not in LOCAL_NAMES and name != socket.gethostname() and not _is_loopback(name):
        raise NetworkBlocked(f"tests may only reach this machine, not {name!r}")


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return False
