"""A real Prefect server on a free loopback port, and commands that talk to it."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

BIN = Path(sys.executable).parent
CHECKOUT = Path(__file__).resolve().parents[2]
STARTUP_SECONDS = 120


def free_port() -> int:
    """A port that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment(**extra: str) -> dict[str, str]:
    """The environment of a child, without settings of whoever runs the tests."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PREFECT", "ASSENT"))}
    return kept | {"PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1"} | extra


@contextmanager
def running(
    command: list[str], env: dict[str, str], log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """A process of our own that is gone afterwards."""
    with log.open("ab") as output:
        process = subprocess.Popen(command, env=env, cwd=CHECKOUT, stdout=output, stderr=output)
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def prefect_server(home: Path) -> Iterator[str]:
    """Address of a server whose state lives below `home`."""
    port = free_port()
    url = f"http://127.0.0.1:{port}/api"
    command = [str(BIN / "prefect"), "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    env = environment(PREFECT_HOME=str(home / "server"))
    with running(command, env, home / "server.log") as process:
        deadline = time.monotonic() + STARTUP_SECONDS
        while not _is_healthy(url):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"no server: {(home / 'server.log').read_text()[-2000:]}")
            time.sleep(0.2)
        yield url


def _is_healthy(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False
