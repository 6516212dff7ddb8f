"""A PostgreSQL of our own for the length of a test session: made, started, thrown away."""

import os
import pwd
import re
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

START_SECONDS = 60.0
STOP_SECONDS = 20.0
ATTEMPTS = 3


class Account(NamedTuple):
    """The user that runs the server, which refuses to run as root. None: whoever we are."""

    user: int | None = None
    group: int | None = None


def postgres_directory() -> Path | None:
    """Where `initdb` and `postgres` are: on the path, or where Debian keeps its newest version."""
    on_path = [Path(entry) for entry in os.get_exec_path()]
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    for directory in (*on_path, *debian):
        if all(os.access(directory / name, os.X_OK) for name in ("initdb", "postgres")):
            return directory
    return None


def _version(directory: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", directory.parent.name))


@contextmanager
def throwaway_postgres() -> Iterator[str]:
    """Run a new server on a free loopback port; yields its SQLAlchemy URL."""
    programs = postgres_directory()
    if programs is None:
        raise RuntimeError('PostgreSQL is missing; mark the test with needs("postgresql")')
    account = _account()
    # As root not in TMPDIR, which may lie where the server's user cannot go.
    home = Path(tempfile.mkdtemp(prefix="assent-pg-", dir="/tmp" if account.user else None))
    try:
        password = _create_cluster(programs, home, account)
        server, port = _start(programs, home, account, password)
        try:
            yield f"postgresql+psycopg://assent:{password}@127.0.0.1:{port}/postgres"
        finally:
            _stop(server)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _account() -> Account:
    if os.geteuid() != 0:
        return Account()
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise RuntimeError("running as root, and there is no user postgres or nobody for the server")


def _create_cluster(programs: Path, home: Path, account: Account) -> str:
    password = secrets.token_hex(16)
    password_file = home / "password"
    password_file.write_text(password)
    if account.user is not None and account.group is not None:
        os.chown(home, account.user, account.group)
        os.chown(password_file, account.user, account.group)
    command: list[str | Path] = [
        *(programs / "initdb", "--pgdata", home / "data", "--username", "assent"),
        *("--auth", "scram-sha-256", "--pwfile", password_file),
        *("--encoding", "UTF8", "--locale", "C", "--no-sync"),
    ]
    made = subprocess.run(
        command, cwd=home, capture_output=True, text=True, check=False, **_as_user(account)
    )
    if made.returncode:
        raise RuntimeError(f"initdb failed: {made.stderr.strip()}")
    return password


def _start(
    programs: Path, home: Path, account: Account, password: str
) -> tuple[subprocess.Popen[bytes], int]:
    log = home / "server.log"
    for _ in range(ATTEMPTS):  # somebody else may take the free port first
        port = _free_port()
        with log.open("wb") as output:
            server = subprocess.Popen(
                [
                    *(programs / "postgres", "-D", home / "data", "-k", home, "-p", str(port)),
                    *("-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"),
                ],
                cwd=home,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                **_as_user(account),
            )
        if _answers(server, port, password):
            return server, port
        _stop(server)
    raise RuntimeError(f"PostgreSQL did not start: {log.read_text(errors='replace')[-2000:]}")


def _as_user(account: Account) -> dict[str, Any]:
    if account.user is None:
        return {}
    return {"user": account.user, "group": account.group, "extra_groups": []}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(server: subprocess.Popen[bytes], port: int, password: str) -> bool:
    deadline = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        try:
            psycopg.connect(
                host="127.0.0.1", port=port, user="assent", password=password, dbname="postgres"
            ).close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return True
    return False


def _stop(server: subprocess.Popen[bytes]) -> None:
    """End the server: politely (PostgreSQL's fast shutdown), then by force."""
    for request in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
        if server.poll() is None:
            server.send_signal(request)
            try:
                server.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                continue
    server.wait()
