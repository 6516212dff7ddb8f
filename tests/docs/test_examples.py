import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from docs.generate.blocks import ROOT
from docs.generate.transcripts import run, scratch
from tests.docs.markdown import code_blocks

EXAMPLES = sorted(path.parent for path in ROOT.glob("examples/*/benchmark.json"))
READMES = [ROOT / "examples/README.md", *(folder / "README.md" for folder in EXAMPLES)]

# | `replay.jsonl` | support | 12 of 16 | 0.675 | 13 |
_CLAIM = re.compile(r"^\| `(\S+)` \| (\w+) \| (\d+) of (\d+) \| (\S+) \| (\d+) \|$", re.MULTILINE)


class Claim(NamedTuple):
    recording: str
    question: str
    agreed: int
    items: int
    kappa: str
    substantive: int


def claims_of(folder: Path) -> list[Claim]:
    found = _CLAIM.findall((folder / "README.md").read_text("utf-8"))
    return [Claim(r, q, int(a), int(n), kappa, int(s)) for r, q, a, n, kappa, s in found]


def _name(value: Path | Claim) -> str:
    return value.name if isinstance(value, Path) else value.recording


CLAIMS = [(folder, claim) for folder in EXAMPLES for claim in claims_of(folder)]


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)
def test_an_example_is_valid_without_a_warning(folder: Path) -> None:
    with scratch() as directory:
        done = run(f"assent validate {folder / 'benchmark.json'} --format json", directory)
    (file,) = json.loads(done.stdout)["files"]
    assert (file["valid"], file["errors"], file["warnings"]) == (True, [], [])


@pytest.mark.parametrize(("folder", "claim"), CLAIMS, ids=_name)
def test_a_recording_gives_the_figures_that_its_readme_quotes(folder: Path, claim: Claim) -> None:
    with scratch() as directory:
        command = (
            f"assent evaluate {folder / 'benchmark.json'} --question-form {claim.question} "
            f"--model replay/{folder / claim.recording} --format json --quiet"
        )
        done = run(command, directory)
        result = json.loads(done.stdout)
        cases = json.loads((directory / result["output"]).read_text("utf-8"))["results"]["cases"]
    metrics = result["metrics"]
    computed = claim._replace(
        agreed=sum(case["agrees"] for case in cases),
        items=metrics["n"],
        kappa=f"{metrics['cohens_kappa[consensus]']:.3f}",
        substantive=metrics["n_substantive"],
    )
    assert (result["failed"], computed) == (0, claim)


def test_every_recording_has_its_figures_in_its_readme() -> None:
    quoted = {folder / claim.recording for folder, claim in CLAIMS}
    assert quoted == set(ROOT.glob("examples/*/*.jsonl"))


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.parent.name)
def test_the_commands_of_a_readme_run(readme: Path) -> None:
    code = code_blocks(readme.read_text("utf-8"), "sh")
    with scratch() as directory:
        commands = [line for block in code for line in block.splitlines()]
        failed = [command for command in commands if run(command, directory).returncode]
    assert failed == []
