"""`assent hash`, `describe`, `prompts`: what they print of a benchmark."""

from pathlib import Path

import pytest

from tests.support.benchmarks import item, tiny_benchmark, write_json
from tests.support.command import Assent

CURRENT = "sha256:f367e1b9bc4bfb0c50530079963dc3b8489e79d23a7d756c6a1ef9cd7a9953ee"
FIRST = "sha256:d390b28f4c548ddd4444c2655eb19200b4e9a9b04695f07c44cb0d4f5481211d"
MESSAGE = "Premises: x is wet and café is shut\nConclusion: café is shut\nVerdict:"
PROMPT_HASH = "sha256:dbb181eae7df983abf01f3b35adb83e40581b52c47a9008b811cac2037578641"


@pytest.fixture
def tiny(here: Path) -> str:
    write_json(here / "tiny.json", tiny_benchmark())
    return "tiny.json"


@pytest.mark.parametrize(
    ("options", "digest"),
    [
        pytest.param([], CURRENT, id="default"),
        pytest.param(["--profile", "0.17"], CURRENT, id="0.17"),
        pytest.param(["--profile", "0.5"], FIRST, id="0.5"),
    ],
)
def test_a_hash_is_printed_before_its_path(
    assent: Assent, tiny: str, options: list[str], digest: str
) -> None:
    ran = assent("hash", *options, tiny, "./tiny.json")
    assert (ran.code, ran.out) == (0, f"{digest}  tiny.json\n{digest}  ./tiny.json\n")


def test_hashes_are_one_document_on_request(assent: Assent, tiny: str) -> None:
    assert assent("hash", tiny, "--format", "json", "--profile", "0.5").json == {
        "files": [{"path": "tiny.json", "profile": "0.5", "hash": FIRST}]
    }


def test_the_first_profile_of_later_fields_is_refused_field_by_field(
    assent: Assent, here: Path
) -> None:
    later = tiny_benchmark(targets=["t"], items=[item(ladder="l")])
    write_json(here / "later.json", later)
    text = assent("hash", "--profile", "0.5", "later.json")
    assert (text.code, text.out) == (2, "")
    assert [line.split(": ")[:2] for line in text.lines] == [
        ["later.json", "$.targets"],
        ["later.json", "$.items[0].ladder"],
    ]
    ran = assent("hash", "--profile", "0.5", "later.json", "--format", "json")
    assert [error["code"] for error in ran.json["errors"]] == ["later_fields"] * 2


def test_a_description_has_the_keys_of_the_contract(assent: Assent, tiny: str) -> None:
    facts = assent("describe", tiny, "--format", "json").json
    assert facts == {
        "id": "tiny-1",
        "title": None,
        "hash": CURRENT,
        "n_items": 1,
        "n_bearers": 2,
        "n_analysts": 2,
        "n_variants": 2,
        "analysts": [
            {"id": "a1", "panel": None, "good": 1, "bad": 0, "abstain": 0},
            {"id": "a2", "panel": None, "good": 0, "bad": 0, "abstain": 1},
        ],
        "inter_analyst_fleiss": None,
        "n_inter_analyst_fleiss": facts["n_inter_analyst_fleiss"],
        "panels": None,
        "tags": {"base-inference": 1},
        "factors": {},
        "reasons": facts["reasons"],
    }
    assert facts["reasons"]["inter_analyst_fleiss"]


def panelled() -> dict[str, object]:
    verdicts = ["good good good", "bad bad bad", "good bad good"]
    items = [
        item(f"i{n}", premises=["p"] * (n % 2), analyst_verdicts=row.split(), tags=["x\x1b", "y"])
        for n, row in enumerate(verdicts)
    ]
    analysts = [{"id": "a", "panel": "n"}, {"id": "b\x1b[31m", "panel": "n"}]
    return tiny_benchmark(
        title="Panels",
        analysts=[*analysts, {"id": "c", "panel": "s"}],
        primary_panel="n",
        items=[*items, item("empty", premises=[], conclusions=[], analyst_verdicts=["good"] * 3)],
        factors={"size": ["s", "l"]},
    )


def test_a_description_measures_the_panels(assent: Assent, here: Path) -> None:
    write_json(here / "b.json", panelled())
    facts = assent("describe", "b.json", "--items", "--format", "json").json
    assert facts["inter_analyst_fleiss"] is not None
    assert facts["panels"]["primary"] == "n"
    assert set(facts["panels"]["inter_analyst_fleiss"]) == {"n", "s"}
    assert facts["factors"] == {"size": ["s", "l"]}
    assert facts["tags"] == {"x\x1b": 3, "y": 3, "base-inference": 1}
    assert facts["reasons"] == {}
    assert facts["items"][0] == {
        "id": "i0",
        "premises": [],
        "conclusions": ["q"],
        "analyst_verdicts": ["good", "good", "good"],
        "tags": ["x\x1b", "y"],
    }


def test_a_description_is_readable(assent: Assent, here: Path) -> None:
    write_json(here / "b.json", panelled())
    out = assent("describe", "b.json", "--items").out
    assert out.startswith("tiny-1: Panels\n")
    assert "4 items, 2 bearers, 3 analysts, 2 variants" in out
    assert "panel n (primary): " in out
    assert "panel s: undefined" in out
    assert r"b\x1b[31m" in out
    assert r"tags: x\x1b 3, y 3, base-inference 1" in out
    assert "  i1: p ⇒ q  [bad bad bad]" in out
    assert "  empty: ∅ ⇒ ∅  [good good good]" in out


def test_a_description_without_items_says_why_there_is_no_figure(
    assent: Assent, here: Path
) -> None:
    write_json(here / "b.json", tiny_benchmark(items=[]))
    out = assent("describe", "b.json").out
    assert "tiny-1: (no title)" in out
    assert "(Fleiss' kappa): undefined: " in out
    assert "tags" not in out


def test_prompts_are_the_exact_requests(assent: Assent, tiny: str) -> None:
    ran = assent("prompts", tiny, "--format", "json")
    (prompt,) = ran.json["prompts"]
    assert ran.code == 0
    assert list(prompt) == ["item_id", "variant", "fallback", "system", "user", "prompt_hash"]
    assert (prompt["item_id"], prompt["variant"], prompt["fallback"]) == ("i1", 0, False)
    assert (prompt["user"], prompt["prompt_hash"]) == (MESSAGE, PROMPT_HASH)


def test_all_variants_come_one_after_the_other_in_file_order(assent: Assent, here: Path) -> None:
    items = [item("z"), item("a", premises=["q"])]
    write_json(here / "b.json", tiny_benchmark(items=items))
    rows = assent("prompts", "b.json", "--variant", "all", "--format", "json").json["prompts"]
    assert [(row["item_id"], row["variant"], row["fallback"]) for row in rows] == [
        ("z", 0, False),
        ("a", 0, False),
        ("z", 1, True),
        ("a", 1, False),
    ]


def test_prompts_are_readable(assent: Assent, here: Path) -> None:
    write_json(here / "b.json", tiny_benchmark(items=[item("i\x1b1", conclusions=[])]))
    out = assent("prompts", "b.json", "--variant", "1").out
    assert out.startswith("system:\n  You judge")
    assert r"i\x1b1, variant 1 (fallback)" in out
    assert "  Premises: x is wet and the café is closed\n  Conclusion: \n  Verdict:\n" in out


def test_a_benchmark_without_items_has_no_prompts(assent: Assent, here: Path) -> None:
    write_json(here / "b.json", tiny_benchmark(items=[]))
    assert assent("prompts", "b.json").out == ""
    assert assent("prompts", "b.json", "--format", "json").json == {"prompts": []}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        pytest.param(["--no-strip-tex"], "Premises: $x$ is wet", id="dollars kept"),
        pytest.param(["--strip-tex"], "Premises: x is wet", id="dollars dropped"),
        pytest.param(["--question-form", "coherence"], "Accepted: x is wet", id="coherence"),
        pytest.param(
            ["--question-form", "coherence", "--coherence-frame", "thin-v1"],
            "Accepted: x is wet",
            id="frame",
        ),
    ],
)
def test_options_decide_the_question(
    assent: Assent, tiny: str, options: list[str], text: str
) -> None:
    (prompt,) = assent("prompts", tiny, *options, "--format", "json").json["prompts"]
    assert prompt["user"].startswith(text)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        pytest.param(["--variant", "2"], "unknown_variant", "variant 2", id="beyond the last"),
        pytest.param(["--variant", "-1"], "unknown_variant", "variant -1", id="negative"),
        pytest.param(["--variant", "two"], "unknown_variant", "'two'", id="no number"),
        pytest.param(["--variant", "9" * 5000], "unknown_variant", "999", id="endless"),
        pytest.param(
            ["--question-form", "coherence", "--coherence-frame", "x"],
            "unknown_frame",
            "'x'",
            id="frame",
        ),
        pytest.param(["--question-form", "guess"], "usage", "guess", id="form"),
    ],
)
def test_impossible_requests_exit_2(
    assent: Assent, tiny: str, options: list[str], code: str, message: str
) -> None:
    text = assent("prompts", tiny, *options)
    assert (text.code, text.out) == (2, "")
    assert len(text.lines) == 1
    (error,) = assent("prompts", tiny, *options, "--format", "json").json["errors"]
    assert error["code"] == code
    assert message in error["message"]


def test_a_plugin_runs_only_with_permission(assent: Assent, here: Path) -> None:
    (here / "assent_test_shouts.py").write_text("def build(texts):\n    return '!'.join(texts)\n")
    plugin = {"kind": "plugin", "plugin": "assent_test_shouts:build"}
    write_json(here / "b.json", tiny_benchmark(context_builders={"premise": plugin}))
    refused = assent("prompts", "b.json")
    assert refused.code == 2
    assert "--allow-plugins" in refused.err
    assert "Premises: x is wet!café is shut" in assent("prompts", "b.json", "--allow-plugins").out
