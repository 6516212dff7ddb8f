"""What a person sees of a run: the engine, progress, tables; and the command that repeats it."""

import io
import shlex
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.cli import evaluate as command
from flows.cli.main import run
from flows.cli.progress import shown_progress
from flows.options import make_order
from schemas.evaluation import ProviderParams
from schemas.run import (
    ModelSpec,
    PromptingSpec,
    RunSpec,
    SamplingSpec,
    Selection,
    VotingSpec,
)
from tasks.outputs.commands import command_of
from tasks.sampling.monitor import Monitor, current_monitor
from tasks.stage import stage
from tests.support.runs import Desk, benchmark, load, paraphrased, record, write_lines

PLAIN = ("evaluate", "bench.json", "--model", "control/coin", "--engine", "embedded")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_drawn_on_a_terminal_and_wiped_at_the_end(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write(benchmark(50))
    monkeypatch.setattr("flows.cli.progress.REDRAW_SECONDS", 0)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert desk.run(*PLAIN, "--n-samples", "20").code == 0
    drawn = terminal.getvalue()
    assert "1000/1000" in drawn
    assert "1000 calls, 0 reused, 0 failed" in drawn


def test_progress_is_redrawn_a_few_times_a_second_and_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("flows.cli.progress.REDRAW_SECONDS", 3600)
    monitor = Monitor(total=100)
    with shown_progress(monitor, quiet=False):
        for _ in range(100):
            current_monitor().done += 1
            monitor.changed()
    assert monitor.done == 100
    assert "100/100" in terminal.getvalue()


@pytest.mark.parametrize("quiet", [True, False])
def test_without_a_terminal_nothing_is_drawn(desk: Desk, quiet: bool) -> None:
    desk.write()
    outcome = desk.run(*PLAIN, *(["--quiet"] if quiet else []))
    note = "engine: embedded\n"
    assert outcome.err == ("" if quiet else note)


@pytest.mark.parametrize(
    ("engine", "server", "said"),
    [
        ("embedded", None, "no Prefect server is configured"),
        ("prefect", "http://a\x1b[31m/api", r"Prefect at http://a\x1b[31m/api"),
        ("prefect", None, "a server of its own"),
    ],
)
def test_the_engine_is_named_in_one_line(engine: str, server: str | None, said: str) -> None:
    line = command.engine_note("auto", engine, server)
    assert said in line
    assert line.isprintable()


def test_the_summary_names_counts_metrics_and_files(desk: Desk) -> None:
    desk.write(benchmark(3))
    replies = [record("claim 0 holds", "GOOD"), record("claim 1 holds", "BAD")]
    write_lines(desk.path / "replies.jsonl", replies)
    model = ("--model", "replay/replies.jsonl", "--max-failed", "1")
    text = desk.run("evaluate", "bench.json", *model, "--engine", "embedded", "--run-id", "r1").out
    assert "items: 3 asked, 2 judged, 1 missing" in text
    assert "samples: 15, 15 calls, 0 reused, 5 failed" in text
    assert "evaluation: evaluations/small/r1.json" in text
    assert "output document: outputs/small/r1.json" in text
    assert "tables: outputs/artifacts/r1/{prompts,samples,verdicts,metrics}.parquet" in text
    assert "coverage_judged" in text


def test_verbose_adds_the_stages(desk: Desk) -> None:
    desk.write(benchmark(1))
    text = desk.run(*PLAIN, "-v").out
    for name in ("validate-benchmark", "draw-samples", "publish-run"):
        assert name in text


def test_undefined_figures_are_explained(desk: Desk) -> None:
    bench = benchmark(1)
    bench["items"][0]["analyst_verdicts"] = ["abstain", "abstain"]
    desk.write(bench)
    assert "undefined:" in desk.run(*PLAIN).out


@pytest.mark.parametrize(
    ("model", "line"),
    [
        ("control/always-good", "3 of 3 items keep their verdict (100.0%)"),
        ("replay/replies.jsonl", "0 of 0 items keep their verdict (undefined)"),
    ],
)
def test_a_cycle_ends_with_a_comparison_of_the_wordings(desk: Desk, model: str, line: str) -> None:
    desk.write(paraphrased())
    write_lines(desk.path / "replies.jsonl", [record("something else", "GOOD")])
    options = ("--model", model, "--paraphrase-cycle", "--max-failed", "1", "--run-id", "c")
    text = desk.run("evaluate", "bench.json", *options, "--engine", "embedded").out
    assert "run c-v0, variant 0" in text
    assert "run c-v1, variant 1" in text
    assert line in text


def test_the_command_in_a_document_repeats_the_run(desk: Desk) -> None:
    desk.write()
    options = ("--n-samples", "3", "--seed", "-4", "--tag", "even", "--tie-break", "first")
    result = desk.evaluate(*options, "--epoch", "a 'b'", "--no-strip-tex")
    document = load(result["output"])
    words = shlex.split(document["metadata"]["run"]["command"])
    assert words[0] == "assent"
    again = desk.run(*words[1:], "--engine", "embedded", "--format", "json").json
    assert again["calls"] == 0
    assert (
        load(again["output"])["results"]["details"]["run_spec"]
        == document["results"]["details"]["run_spec"]
    )


plain_texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)
names = plain_texts.filter(lambda text: not text.startswith("-"))
specs = st.builds(
    RunSpec,
    benchmark=names,
    model=st.builds(ModelSpec, provider=names.filter(lambda t: "/" not in t), model_id=names),
    prompting=st.builds(
        PromptingSpec,
        question_form=st.sampled_from(["support", "coherence"]),
        coherence_frame=st.none() | plain_texts,
        strip_tex=st.booleans(),
        variant=st.integers(0, 9),
        allow_plugins=st.booleans(),
    ),
    sampling=st.builds(
        SamplingSpec,
        n_samples=st.integers(1, 99),
        params=st.builds(
            ProviderParams,
            temperature=st.floats(0, 9),
            max_tokens=st.integers(1, 99),
            top_p=st.none() | st.floats(0, 1, exclude_min=True),
            seed=st.none() | st.integers(-9, 9),
            stop=st.lists(plain_texts, max_size=2).map(tuple),
        ),
        epoch=st.just("") | plain_texts,
    ),
    voting=st.builds(
        VotingSpec,
        parser=st.sampled_from(["final-answer", "first-match"]),
        tie_break=st.sampled_from(["abstain", "good", "bad", "first"]),
    ),
    selection=st.builds(
        Selection,
        limit=st.none() | st.integers(0, 9),
        items=st.lists(plain_texts, max_size=2).map(tuple),
        tags=st.lists(plain_texts, max_size=2).map(tuple),
    ),
    max_failed=st.floats(0, 1),
)


@given(specs)
def test_every_spec_has_a_command_that_asks_for_it(spec: RunSpec) -> None:
    asked = list[RunSpec]()

    def note_spec(given: dict[str, object], *_: object, **__: object) -> None:
        asked.append(make_order(**given)[0].spec)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "_run", note_spec)
        assert run(shlex.split(command_of(spec))[1:]) == 0
    assert asked == [spec]


def test_a_stage_outside_of_a_flow_is_its_plain_function() -> None:
    @stage("double-it", version=1)
    def double(number: int) -> int:
        """Twice."""
        return 2 * number

    monitor = Monitor()
    with shown_progress(monitor, quiet=True):
        assert double(4) == 8
    assert [(note.name, note.state) for note in monitor.stages] == [("double-it", "Completed")]
    assert (vars(double)["__name__"], double.__doc__) == ("double", "Twice.")
