"""A Prefect server that lives as long as one command.

Prefect would start one by itself, but in our process group: Ctrl-C would stop the server before
the flow run could say goodbye to it, and the command would hang on a dead address. This one has
a session of its own, ends with us even when we are killed, and is given a moment to write down
what is still queued.
"""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import flows.prefect_settings  # noqa: F401 - its defaults are for the server too
from schemas.errors import Unfinished

STARTUP_SECONDS = 120.0
DRAIN_SECONDS = 1.5
STOP_SECONDS = 10.0
_PR_SET_PDEATHSIG = 1


@contextmanager
def temporary_server() -> Iterator[str]:
    """Address of a server of our own, on a free loopback port.

    Raises:
        Unfinished: It does not start.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = os.environ | {"PREFECT_UI_ENABLED": "false"}  # noqa: TID251 - for the child
    # A server that is told of another server's address would talk to that one.
    environment.pop("PREFECT_API_URL", None)
    command = [sys.executable, "-m", "uvicorn", "--factory", "prefect.server.api.server:create_app"]
    options = ["--host", "127.0.0.1", "--port", str(port), "--log-level", "critical"]
    process = subprocess.Popen(
        [*command, *options, "--lifespan", "on"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=_end_with_parent if sys.platform == "linux" else None,
    )
    try:
        url = f"http://127.0.0.1:{port}/api"
        _wait_until_healthy(process, url)
        yield url
        time.sleep(DRAIN_SECONDS)
    finally:
        _stop(process)


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _wait_until_healthy(process: "subprocess.Popen[bytes]", url: str) -> None:
    import httpx

    deadline = time.monotonic() + STARTUP_SECONDS
    with httpx.Client(timeout=2, trust_env=False) as client:
        while time.monotonic() < deadline and process.poll() is None:
            try:
                if client.get(f"{url}/health").status_code == httpx.codes.OK:
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.1)
    raise Unfinished(
        "the temporary Prefect server did not start",
        fix="try `prefect server start` to see why, or run with --engine embedded",
        code="server_unreachable",
    )


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
