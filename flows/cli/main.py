"""The `assent` command: parses options, calls flows and pure logic, prints, and exits.

Exit codes: 0 done; 1 done and the finding is negative; 2 wrong input or options; 3 could not be
finished here; 70 a bug; 130 interrupted. Nothing heavy is imported before a command needs it.
"""

import errno
import io
import os
import signal
import sys
import traceback
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer

from flows.cli import audit as audit_command
from flows.cli import compare as compare_command
from flows.cli import describe, evaluate, hashing, initialise, outputs, prompts, runs, validate
from flows.cli import factor_model as factor_model_command
from flows.cli import invariance as invariance_command
from flows.cli import metrics as metrics_command
from flows.cli import monotonicity as monotonicity_command
from flows.cli import pack_run as pack_run_command
from flows.cli import pack_score as pack_score_command
from flows.cli import pack_selftest as pack_selftest_command
from flows.cli import packs as packs_command
from flows.cli import plan as plan_command
from flows.cli import retest as retest_command
from flows.cli import schemas as schemas_command
from flows.cli import store as store_command
from flows.cli import structure as structure_command
from flows.cli import sweep as sweep_command
from flows.cli import variance as variance_command
from flows.cli.console import note, report_error, say
from schemas.errors import EvalError, Unfinished, UserError
from schemas.version import VERSION

# Typer carries its own copy of click: its usage errors are reached through a public one of them.
UsageProblem: Any = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")

# Packages of the extra `run`: an environment that only checks files does without them.
NEEDED_TO_RUN = {
    "httpx",
    "numpy",
    "orjson",
    "prefect",
    "psycopg",
    "pyarrow",
    "scipy",
    "sqlalchemy",
    "statsmodels",
}

app = typer.Typer(
    name="assent",
    help="Evaluate language models: reproducible, resumable, honest about uncertainty.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with: assent init my-benchmark, or make demo. Exit codes: docs/exit-codes.md",
)
app.command("validate")(validate.validate)
app.command("hash")(hashing.hash_files)
app.command("describe")(describe.describe)
app.command("prompts")(prompts.prompts)
app.command("evaluate")(evaluate.evaluate)
app.command("metrics")(metrics_command.metrics)
app.command("sweep")(sweep_command.sweep)
app.command("structure")(structure_command.structure)
app.command("monotonicity")(monotonicity_command.monotonicity)
app.command("audit")(audit_command.audit)
app.command("compare")(compare_command.compare)
app.command("retest")(retest_command.retest)
app.command("model")(factor_model_command.model)
app.command("variance")(variance_command.variance)
app.command("invariance")(invariance_command.invariance)
app.command("plan")(plan_command.plan)
app.command("runs")(runs.list_runs)
app.command("show")(runs.show)
app.command("schemas")(schemas_command.schemas)
app.command("init")(initialise.init)
app.add_typer(outputs.app, name="outputs")
packs_command.app.command("run")(pack_run_command.run_pack)
packs_command.app.command("score")(pack_score_command.score)
packs_command.app.command("selftest")(pack_selftest_command.selftest)
app.add_typer(packs_command.app, name="pack")
app.add_typer(store_command.app, name="store")


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"assent {VERSION}")
        raise typer.Exit


@app.callback()
def assent(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """Evaluate language models: reproducible, resumable, honest about uncertainty."""


def main() -> None:
    """Run the command line and exit with the code of the contract."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the caller has closed it
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - until we exit
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that lacks a character still gets the rest of the line.
        sys.stdout.reconfigure(errors="backslashreplace")
    # Who asks us to end gets what Ctrl-C gives: answers are kept, and the way on is named.
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    sys.exit(run(sys.argv[1:]))


def run(args: list[str]) -> int:
    """Run the command line; its exit code."""
    as_json = _wants_json(args)
    try:
        code = typer.main.get_command(app).main(args, prog_name="assent", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except UsageProblem as error:
        message = error.format_message().rstrip(".")
        if message:  # without one, the help text was printed instead
            report_error(UserError(message, fix="see --help", code="usage"), as_json=as_json)
        return 2
    except UserError as error:
        report_error(error, as_json=as_json)
        return 2
    except EvalError as error:
        report_error(error, as_json=as_json)
        return 3
    except KeyboardInterrupt:
        return 130
    except (BrokenPipeError, SystemExit) as error:
        if BrokenPipeError not in {type(error), type(error.__context__)}:
            raise
        # The reader of our output has gone, which Typer turns into an exit.
        _forget_output()
        return 0
    except Exception as error:
        return _unexpected(error, as_json=as_json)


def _unexpected(error: Exception, *, as_json: bool) -> int:
    """What is left: a missing package, output that cannot be written, or a bug of ours."""
    missing = _missing_extra(error)
    if missing is not None:
        report_error(missing, as_json=as_json)
        return 3
    if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EIO, errno.EDQUOT}:
        _forget_output()
        note(f"assent: cannot write the output: {error.strerror}")
        return 3
    traceback.print_exception(error)
    note("this is a bug in Assent; please report it with the lines above")
    return 70


def _forget_output() -> None:
    """Let nothing more be written: a second failure when Python closes it would add noise."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _missing_extra(error: Exception) -> Unfinished | None:
    """What to say when a package of the extra `run` is not installed."""
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    if name is None or name.partition(".")[0] not in NEEDED_TO_RUN:
        return None
    return Unfinished(
        f"this command needs {name}, which is not installed",
        fix="install Assent with what running needs: pip install 'assent[run]'",
        code="not_installed",
    )


def _wants_json(args: list[str]) -> bool:
    options = args[: args.index("--")] if "--" in args else args
    return "--format=json" in options or ("--format", "json") in pairwise(options)
