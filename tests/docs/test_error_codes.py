import re

from docs.generate.blocks import ROOT
from tests.docs.error_codes import INDIRECT, collect
from tests.docs.markdown import page

# Each code stands on one of these pages.
PAGES = ("docs/exit-codes.md", "docs/outputs.md")
ROW = re.compile(r"^\| `([a-z_]+)` \| [^|]+ \| [^|]+ \|$", re.MULTILINE)
DOCUMENTED = [code for name in PAGES for code in ROW.findall(page(name))]


def test_every_error_code_of_the_sources_is_documented() -> None:
    assert sorted(collect().known - set(DOCUMENTED)) == []


def test_every_documented_error_code_is_still_in_the_sources() -> None:
    assert sorted(set(DOCUMENTED) - collect().known) == []


def test_no_error_code_is_documented_twice() -> None:
    assert len(DOCUMENTED) == len(set(DOCUMENTED))


def test_places_that_compute_an_error_code_are_listed() -> None:
    assert collect().places == INDIRECT.keys()


def test_codes_listed_for_such_a_place_stand_in_its_file() -> None:
    for (file, expression), codes in INDIRECT.items():
        text = (ROOT / file).read_text("utf-8")
        words = {code if "{" not in expression else code.partition("_")[2] for code in codes}
        assert [word for word in words if f'"{word}"' not in text] == [], file


def test_every_exit_code_of_the_command_line_is_documented() -> None:
    source = (ROOT / "flows/cli/main.py").read_text("utf-8")
    returned = set(re.findall(r"return (\d+)$", source, re.MULTILINE))
    documented = set(re.findall(r"^\| (\d+) \|", page("docs/exit-codes.md"), re.MULTILINE))
    assert returned | {"1"} == documented
