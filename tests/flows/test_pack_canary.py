"""Hidden values of a pack are found nowhere but in the pack, whatever is done with it."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.packs import write_pack
from tests.support.prefect_server import BIN, environment
from tests.support.searching import holders

PUBLIC = "public-canary-7d1f"


class Planted:
    """Distinct canaries, one for each hidden place."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, place: str) -> str:
        text = f"hidden-canary-{len(self.texts):02}-{place}-5b90c3"
        self.texts.append(text)
        return text

    def number(self) -> float:
        """A number that nothing else would write."""
        number = 73519482.0625 + len(self.texts)
        self.texts.append(str(number))
        return number


def planted_rows(hidden: Planted) -> list[dict[str, Any]]:
    """A row of every family with a canary in every hidden field, and some public ones."""
    return [
        {
            "id": "mc",
            "family": "multiple_choice",
            "input": {"question": f"Which, {PUBLIC}?", "choices": ["Lagos", "Oslo"]},
            # Only the profile compat lets an answer name no choice; a choice would be public.
            "eval": {"answer": ["A", hidden("answer")]},
            "metadata": {"topic": PUBLIC},
        },
        {
            "id": "sa",
            "family": "short_answer",
            "input": {"question": f"How many, {PUBLIC}?"},
            "eval": {
                "accepted_answers": [hidden("accepted"), hidden.number()],
                "tolerance": hidden.number(),
            },
        },
        {
            "id": "fr",
            "family": "free_response",
            "input": {"prompt": f"Why, {PUBLIC}?"},
            "eval": {
                "rubric": {
                    "type": "contains_any",
                    "accepted_answers": [hidden("rubric-accepted")],
                    "rejected_answers": [hidden("rubric-rejected")],
                },
                "reference_answer": hidden("reference"),
            },
        },
        {
            "id": "fr2",
            "family": "free_response",
            "input": {"prompt": "Why not?"},
            "eval": {"rubric": hidden("rubric-text")},
        },
        {
            "id": "cc",
            "family": "code_completion",
            "input": {"prompt": f"Write {PUBLIC}."},
            "eval": {
                "tests": {"source": "inline", "code": f"assert {hidden('tests')!r}"},
                "reference_solution": hidden("solution"),
                "canonical_solution": hidden("canonical"),
            },
        },
        {
            "id": "rp",
            "family": "repo_patch",
            "input": {"repo": "o/r", "base_commit": "0" * 40, "instructions": PUBLIC},
            "eval": {
                "tests": {
                    "source": "command",
                    "command": ["echo", hidden("command")],
                    "setup_patch": hidden("setup-patch"),
                    "test_patch": hidden("test-patch"),
                    "candidate_policy": {"allow_paths": [hidden("allow")]},
                },
                "gold_patch": hidden("gold"),
            },
            "environment": {"image": "img:1"},
        },
        {
            "id": "tt",
            "family": "terminal_task",
            "input": {"instructions": PUBLIC},
            "eval": {
                "checker": {"command": f"echo {hidden('checker')}"},
                "run_tests": {"how": hidden("run-tests")},
                "test_files": {"path": "expected.txt"},
                "expected_state": {hidden("state-key"): hidden("state")},
            },
        },
        {
            "id": "xx",
            "family": "tool_call",
            "input": {"q": PUBLIC},
            "eval": {"expected_calls": [hidden("calls")], "initial_state": hidden("initial")},
        },
    ]


class Desk:
    """Commands in one working directory; the pack lies outside of it."""

    def __init__(self, folder: Path) -> None:
        self.pack, self.here = folder / "pack", folder / "here"
        self.here.mkdir()
        self.streams = ""

    def run(self, *args: str) -> int:
        done = subprocess.run(
            [str(BIN / "assent"), *args],
            cwd=self.here,
            env=environment(PREFECT_HOME=str(self.here / "prefect"), PREFECT_LOGGING_LEVEL="DEBUG"),
            capture_output=True,
            text=True,
            check=False,
        )
        self.streams += done.stdout + done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode


def look_at_everything(desk: Desk, pack: tuple[str, ...], rows: list[str]) -> None:
    """Every command that reads a pack or a run, and needs no engine."""
    answers = ("--answers", "answers.jsonl")
    assert desk.run("pack", "score", *pack, *answers, "--format", "json") == 3
    assert desk.run("pack", "validate", *pack) == 0
    assert desk.run("pack", "validate", pack[0], "--format", "json") == 1
    assert desk.run("pack", "selftest", *pack) in (1, 3)
    for row in rows:
        assert desk.run("pack", "show", pack[0], row, *pack[1:], "--format", "json") == 0
        assert desk.run("show", "r", row, "--format", "json") == 0
    assert desk.run("show", "r") == 0


@pytest.mark.parametrize("engine", ["embedded", "prefect"])
def test_hidden_values_are_found_nowhere_but_in_the_pack(tmp_path: Path, engine: str) -> None:
    hidden, desk = Planted(), Desk(tmp_path)
    rows = planted_rows(hidden)
    files = {"hidden/expected.txt": hidden("file"), "hidden/more/other.txt": hidden("other")}
    write_pack(desk.pack, rows, files=files)
    answers = [
        {"task_id": r["id"], field: f"nothing, {PUBLIC}"}
        for r, field in zip(
            rows,
            ["text", "text", "text", "text", "text", "patch", "workspace", "text"],
            strict=True,
        )
    ]
    given = desk.here / "answers.jsonl"
    given.write_text("".join(f"{json.dumps(a)}\n" for a in answers))
    pack = (str(desk.pack), "--profile", "compat")
    fixed = ("--engine", engine, "-v")
    assert desk.run("pack", "run", *pack, "--model", "control/echo", *fixed, "--run-id", "r") == 3
    assert desk.run("pack", "run", *pack, "--answers", str(given), *fixed, "--format", "json") == 3
    if engine == "embedded":
        look_at_everything(desk, pack, [row["id"] for row in rows])
    # Rows that are wrong: messages name the place, not the value.
    spoilt = [r | {"eval": r["eval"] | {hidden("key"): hidden("value")}} for r in rows[:-1]]
    write_pack(desk.pack, spoilt, files=files)
    assert desk.run("pack", "run", *pack, "--model", "control/echo", *fixed) == 2

    places = set(holders(desk.here, PUBLIC))
    wanted = {
        "outputs/artifacts/r/prompts.parquet",
        "outputs/artifacts/r/samples.parquet",
        "outputs/artifacts/r/candidates.jsonl",
        ".assent/samples.sqlite",
    }
    assert wanted <= places
    assert any(place.startswith(".assent/stages/judge/") for place in places)
    assert PUBLIC in desk.streams
    if engine == "prefect":
        # The database is searched too: it holds the name of the pack.
        assert "prefect/prefect.db" in holders(desk.here, str(desk.pack))
    for canary in hidden.texts:
        if "-key-" in canary:
            continue  # the name of an unknown key is what a message has to name
        assert holders(desk.here, canary) == [], canary
        assert canary not in desk.streams
