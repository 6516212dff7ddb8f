"""`assent prompts`: the exact requests, without calling anybody."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from flows.cli.console import Format, FormatOption, print_json, printable, say
from schemas.errors import UserError


class Form(StrEnum):
    """The two questions."""

    SUPPORT = "support"
    COHERENCE = "coherence"


FormOption = Annotated[
    Form, typer.Option("--question-form", help="support: does it follow? coherence: can one deny?")
]
FrameOption = Annotated[
    str | None, typer.Option("--coherence-frame", help="System text of the coherence question.")
]
StripOption = Annotated[
    bool, typer.Option("--strip-tex/--no-strip-tex", help="Drop the dollars of $…$ pairs.")
]
PluginsOption = Annotated[
    bool, typer.Option("--allow-plugins", help="Let the benchmark's own code build contexts.")
]


def prompts(
    bench: Annotated[str, typer.Argument(metavar="BENCH", help="A benchmark.")],
    variant: Annotated[str, typer.Option(help="Wording, or all of them.", metavar="K|all")] = "0",
    question_form: FormOption = Form.SUPPORT,
    coherence_frame: FrameOption = None,
    strip_tex: StripOption = True,
    allow_plugins: PluginsOption = False,
    format_: FormatOption = Format.TEXT,
) -> None:
    """Show what would be asked, item by item; no model is called.

    Example: assent prompts examples/stop_sign/benchmark.json --variant all
    """
    from flows.cli.files import read_benchmark
    from tasks.prompting.expansion import expand, make_wordings, require_variant
    from tasks.prompting.plugins import load_plugin

    benchmark = read_benchmark(bench)
    chosen = range(benchmark.n_variants) if variant == "all" else [_number(variant)]
    for k in chosen:
        require_variant(benchmark, k)
    wordings = make_wordings(
        benchmark,
        question_form.value,
        coherence_frame,
        strip_tex=strip_tex,
        load_plugin=load_plugin if allow_plugins else None,
    )
    kept = ("item_id", "variant", "fallback", "system", "user", "prompt_hash")
    rows = [
        {key: getattr(row, key) for key in kept}
        for k in chosen
        for row in expand(benchmark, wordings, k)
    ]
    if format_ is Format.JSON:
        print_json({"prompts": rows})
    else:
        _print(rows)


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UserError(
            f"{text!r} is neither a number nor 'all'", where="--variant", code="unknown_variant"
        ) from None


def _print(rows: list[dict[str, Any]]) -> None:
    if rows:
        say("system:")
        for line in rows[0]["system"].split("\n"):
            say(f"  {printable(line)}")
    for row in rows:
        fallback = " (fallback)" if row["fallback"] else ""
        say()
        say(printable(f"{row['item_id']}, variant {row['variant']}{fallback}"))
        for line in row["user"].split("\n"):
            say(f"  {printable(line)}")
