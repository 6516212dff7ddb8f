"""Candidates that attack their judge, each beside an honest one that looks like it."""

from pathlib import Path

import pytest

from schemas.pack_task import CompiledTask
from tasks.packs.candidates import Candidate
from tasks.packs.judging import Judging, Result, judge
from tasks.sandbox.interface import Limits
from tasks.sandbox.verifying import LocalSandbox
from tests.attacks.corpus import Attack, attacks
from tests.support.sandboxes import run_python
from tests.support.scored_rows import NoFiles, compiled, row

pytestmark = pytest.mark.needs("bubblewrap")
CORPUS = attacks()
NAMES = [attack.name for attack in CORPUS]


def verdict(attack: Attack, source: str, seconds: float) -> Result:
    return judge(
        _task(attack, seconds), Candidate("text", source), Judging(), LocalSandbox(NoFiles())
    )


def _task(attack: Attack, seconds: float) -> CompiledTask:
    tests = {"tests": {"source": "inline", "code": f"# hidden\n{attack.tests}\n"}}
    limit = {"timeout_seconds": seconds}
    return compiled(row("code_completion", attack.name, eval=tests, environment=limit))


@pytest.mark.parametrize("attack", CORPUS, ids=NAMES)
def test_an_attack_is_held(attack: Attack) -> None:
    result = verdict(attack, attack.source, 4)
    assert result.status == attack.expect, result
    assert not Path("/usr/bin/assent-was-here").exists()


@pytest.mark.parametrize("attack", CORPUS, ids=NAMES)
def test_the_honest_twin_of_an_attack_passes(attack: Attack) -> None:
    result = verdict(attack, attack.twin, 60)
    assert result.status == "passed", result


@pytest.mark.parametrize(
    "attack",
    [a for a in CORPUS if a.forges_shared],
    ids=[a.name for a in CORPUS if a.forges_shared],
)
def test_the_attack_succeeds_where_candidate_and_tests_share_an_interpreter(
    attack: Attack,
) -> None:
    # The control flow that the two sandboxes replace: import the candidate, run the tests, exit.
    shared = f"exec({attack.source!r})\nexec({attack.tests!r})\n"
    assert (
        run_python(
            shared, limits=Limits(seconds=30), spaces=("/work",), directory="/work"
        ).exit_code
        == 0
    )
