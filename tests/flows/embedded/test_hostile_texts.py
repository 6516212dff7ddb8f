"""Texts of strangers: they reach the files unchanged and the terminal harmless."""

from collections.abc import Callable

import pytest

from tests.support.runs import Desk, Json, Scripted, benchmark, load, rows, samples

ESCAPES = "\x1b[31mred\x1b[0m\x07\r\x9b2J"
HOSTILE = [
    ESCAPES,
    "[bold]x[/bold]",
    "[/]",
    "[link=http://x]",
    ":smile:",
    "a\\",
    "\u202eevil\u202c",
]
UseProvider = Callable[[Scripted], Scripted]


def harmless(text: str) -> bool:
    return all(c.isprintable() or c in "\n " for c in text)


def hostile_benchmark(text: str) -> Json:
    bench = benchmark(2)
    bench["bearers"]["claim0"]["expression"] = text
    bench["items"][0]["id"] = text
    bench["items"][0]["tags"] = [text]
    bench["analysts"][0]["id"] = text
    return bench


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_hostile_names_and_replies_do_not_reach_the_terminal(
    desk: Desk, use_provider: UseProvider, text: str
) -> None:
    desk.write(hostile_benchmark(text))

    class Hostile(Scripted):
        async def complete(self, request: Json) -> Json:
            from tasks.sampling.records import CallFailed, Reply

            if request.sample_index == 1:
                raise CallFailed(text)
            return Reply(f"{text}\nGOOD", model_id=text, finish_reason=text)

    use_provider(Hostile({}))
    plain = ("evaluate", "bench.json", "--model", "control/coin", "--engine", "embedded")
    command = (*plain, "--max-failed", "1", "--run-id", "r1", "-v")
    for args in (
        command,
        ("runs",),
        ("show", "r1"),
        ("show", "r1", "--", text),
        (*plain, "--tag", "unknown"),
        (*plain, "--items", text + "?"),
        (*plain, "--epoch", text, "--max-calls", "0"),
        ("show", text),
        ("evaluate", "bench.json", "--model", f"{text}/x"),
        ("evaluate", "bench.json", "--model", f"replay/{text}"),
        ("evaluate", text, "--model", "control/coin"),
    ):
        outcome = desk.run(*args)
        assert outcome.code in {0, 2, 3}, outcome
        assert harmless(outcome.out + outcome.err)
    found = desk.run("show", "r1", "--format", "json", "--", text).json
    assert found["samples"][0]["text"] == f"{text}\nGOOD"
    assert found["samples"][1]["error"] == text


@pytest.mark.parametrize("text", ["[bold]x[/bold]", "[/]", ":smile:", "a b", "%s {0}"], ids=ascii)
def test_markup_in_a_run_id_is_shown_as_it_is(desk: Desk, text: str) -> None:
    if "/" in text:
        text = text.replace("/", "|")
    desk.write(benchmark(1))
    plain = ("evaluate", "bench.json", "--model", "control/coin", "--engine", "embedded")
    assert f"run {text}\n" in desk.run(*plain, "--run-id", text).out


def test_a_reply_that_no_file_can_hold_is_mended(desk: Desk, use_provider: UseProvider) -> None:
    desk.write(benchmark(1))
    use_provider(Scripted({"claim": ["GOOD \x00 \ud800 \U0001f600"]}))
    first = desk.evaluate("--n-samples", "1")
    assert samples(first)["i0", 0] == "GOOD \ufffd \ufffd \U0001f600"
    evaluation = load(first["evaluation"])
    assert evaluation["items"][0]["samples"][0]["raw_response"] == samples(first)["i0", 0]


@pytest.mark.needs("postgresql")
def test_such_a_reply_is_the_same_on_postgresql(
    desk: Desk, use_provider: UseProvider, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSENT_STORE", postgres_url)
    desk.write(benchmark(1))
    use_provider(Scripted({"claim": ["GOOD \x00 \ud800 \U0001f600"]}))
    result = desk.evaluate("--n-samples", "1", "--epoch", "hostile")
    assert samples(result)["i0", 0] == "GOOD \ufffd \ufffd \U0001f600"


def test_a_very_long_reply_survives(desk: Desk, use_provider: UseProvider) -> None:
    desk.write(benchmark(1))
    long = "x" * 3_000_000 + "\nGOOD"
    use_provider(Scripted({"claim": [long]}))
    result = desk.evaluate("--n-samples", "2", "--run-id", "r1")
    assert [row["text"] for row in rows(result["artifacts"]["samples"])] == [long, long]
    assert rows(result["artifacts"]["verdicts"])[0]["good"] == 2
    assert desk.run("show", "r1", "i0").code == 0


def test_item_ids_that_look_like_paths_name_no_file(desk: Desk) -> None:
    bench = benchmark(1)
    bench["items"][0]["id"] = "../../etc/passwd"
    desk.write(bench)
    desk.evaluate("--run-id", "r1")
    assert len(desk.files()) == 6
