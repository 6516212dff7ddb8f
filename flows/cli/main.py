"""The `assent` command: parses options, calls flows and pure logic, prints, and exits.

Exit codes: 0 done; 1 done and the finding is negative; 2 wrong input or options; 3 could not be
finished here; 70 a bug; 130 interrupted. Nothing heavy is imported before a command needs it.
"""

import os
import sys
import traceback
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer

from flows.cli import describe, evaluate, hashing, initialise, prompts, runs, validate
from flows.cli import schemas as schemas_command
from flows.cli.console import note, report_error, say
from schemas.errors import EvalError, Unfinished, UserError
from schemas.version import VERSION

# Typer carries its own copy of click: its usage errors are reached through a public one of them.
UsageProblem: type[Exception] = next(
    c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException"
)

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
app.command("runs")(runs.list_runs)
app.command("show")(runs.show)
app.command("schemas")(schemas_command.schemas)
app.command("init")(initialise.init)


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
    sys.exit(run(sys.argv[1:]))


def run(args: list[str]) -> int:
    """Run the command line; its exit code."""
    as_json = _wants_json(args)
    try:
        require_own_packages()
        code = typer.main.get_command(app).main(args, prog_name="assent", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except typer.Exit as stop:
        return stop.exit_code
    except UsageProblem as error:
        message = str(getattr(error, "message", error)).rstrip(".")
        if message:  # without one, the help text was printed instead
            report_error(UserError(message, fix="see --help", code="usage"), as_json=as_json)
        return 2
    except UserError as error:
        report_error(error, as_json=as_json)
        return 2
    except Unfinished as error:
        report_error(error, as_json=as_json)
        return 3
    except EvalError as error:
        report_error(error, as_json=as_json)
        return 3
    except (KeyboardInterrupt, typer.Abort):
        note("interrupted: nothing was published; run the same command again to continue")
        return 130
    except BrokenPipeError:
        # The reader of our output has gone; a second failure at exit would only add noise.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception:  # the last resort: a bug keeps its traceback
        traceback.print_exc()
        note("this is a bug in Assent; please report it with the lines above")
        return 70


def _wants_json(args: list[str]) -> bool:
    options = args[: args.index("--")] if "--" in args else args
    return "--format=json" in options or ("--format", "json") in pairwise(options)


def require_own_packages() -> None:
    """Refuse to run on namesakes: a working directory may hold packages called like ours."""
    import schemas
    import tasks

    home = Path(__file__).resolve().parents[2]
    for package in (schemas, tasks):
        found = Path(package.__file__ or "").resolve().parent.parent
        if found != home:
            raise UserError(
                f"another package called {package.__name__!r} was loaded from {found}",
                fix="run from another directory, or without PYTHONPATH",
                code="namesake",
            )
