"""A sandbox that does not work is no sandbox."""

import os
from pathlib import Path

import pytest

from tasks.packs.candidates import Candidate
from tasks.packs.judging import Judging, judge
from tasks.sandbox.bubblewrap import Bubblewrap, Tools
from tasks.sandbox.finding import require_confinement
from tasks.sandbox.identities import new_identity
from tasks.sandbox.interface import SandboxFault
from tasks.sandbox.verifying import LocalSandbox
from tests.support.scored_rows import NoFiles, compiled, row

PRLIMIT = "/usr/bin/prlimit"


def script(folder: Path, text: str) -> str:
    made = folder / "bwrap"
    made.write_text(f"#!/bin/sh\n{text}\n")
    made.chmod(0o755)
    # Root gives up its rights before it starts this.
    for place in (folder, folder.parent, folder.parent.parent):
        place.chmod(0o755)
    return str(made)


@pytest.mark.parametrize(
    "text",
    [
        "echo 'No permissions to create new namespace' >&2; exit 1",
        "exit 0",
        'while [ "$1" != "--" ]; do shift; done; shift; PATH=/usr/bin:/bin exec "$@"',
    ],
    ids=["refused", "silent", "unconfined"],
)
def test_a_program_that_does_not_confine_is_found_out(tmp_path: Path, text: str) -> None:
    backend = Bubblewrap(Tools(script(tmp_path, text), PRLIMIT))
    with pytest.raises(SandboxFault):
        require_confinement(backend)


def test_a_row_is_not_run_when_the_sandbox_cannot_be_started() -> None:
    broken = Bubblewrap(Tools("/nonexistent/bwrap", PRLIMIT))
    candidate = Candidate("text", "def twice(x): return x + x")
    sandbox = LocalSandbox(NoFiles(), broken)
    result = judge(compiled(row("code_completion")), candidate, Judging(), sandbox)
    assert (result.status, result.reason) == ("error", "sandbox_unavailable")


def test_root_gets_a_new_identity_each_time_and_others_keep_their_own() -> None:
    one, other = new_identity(), new_identity()
    if os.geteuid() == 0:
        assert one is not None
        assert other is not None
        assert one != other
        assert one > 1000
    else:
        assert (one, other) == (None, None)
