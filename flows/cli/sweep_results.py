"""How a finished sweep looks in the terminal."""

from typing import TYPE_CHECKING, Any

from flows.cli.console import note, printable

if TYPE_CHECKING:
    from schemas.sweep import Sweep, SweepResult, SweepRow


def note_failures(result: "SweepResult", n_cells: int) -> None:
    """What went wrong, on stderr."""
    if result.failures:
        note(f"{len(result.failures)} of {n_cells} runs failed:")
    for failure in result.failures:
        note(printable(f"{failure.run_id}: {failure.message}"))
    for row in (row for sweep in result.sweeps for row in sweep.rows):
        if row.too_many_failed:
            note(printable(f"{row.run_id}: {row.n_failed} samples failed, too many"))


def print_result(result: "SweepResult") -> None:
    """Tables for people."""
    from rich.console import Console

    # Names come from strangers: nothing in them is markup or an emoji code.
    console = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
    for sweep in result.sweeps:
        _print_sweep(console, sweep)
    console.print(
        printable(f"study {result.id}: {result.calls} calls, {result.reused} samples reused")
    )
    console.print(printable(f"document: {result.document}"))


def _print_sweep(console: Any, sweep: "Sweep") -> None:
    from rich.table import Table

    title = f"{sweep.parameter}: {sweep.benchmark_id} x {sweep.provider}/{sweep.model_id}"
    table = Table(title=printable(title), title_justify="left")
    table.add_column("value", overflow="fold")
    for name in ("coverage", "kappa_c", "n", "kappa_f", "n", "agreement", "missing"):
        table.add_column(name, no_wrap=True)
    for row in sweep.rows:
        table.add_row(printable(row.value), *_figures(row))
    console.print(table)
    if sweep.kappa_c_range is None:
        console.print(f"verdict: {sweep.stability_verdict}")
    else:
        console.print(
            f"verdict: {sweep.stability_verdict} (kappa_c moves by {sweep.kappa_c_range:.3f} "
            f"over {sweep.n_kappa_c_range} values)"
        )


def _figures(row: "SweepRow") -> list[str]:
    def shown(value: float | None) -> str:
        return "undefined" if value is None else f"{value:.3f}"

    return [
        shown(row.coverage),
        shown(row.kappa_c),
        str(row.n_kappa_c),
        shown(row.kappa_f),
        str(row.n_kappa_f),
        f"{row.n_agreement} of {row.n_total}",
        str(row.n_missing),
    ]
