"""The same options in three places: the flow's form, the command's flags, the checked options."""

import inspect

import pytest

from flows.cli.evaluate import evaluate as command
from flows.cli.pack_run import run_pack as pack_command
from flows.cli.sweep import sweep as sweep_command
from flows.evaluate import evaluate as flow
from flows.evaluate_pack import evaluate_pack as pack_flow
from flows.options import EvaluateOptions, make_order
from flows.pack_options import PackOptions, make_pack_order
from flows.sweep import sweep as sweep_flow
from schemas.errors import UserError
from schemas.sweep import SweepEffort, SweepSettings

# Headers may hold secrets, which must not become parameters that a server keeps.
COMMAND_ONLY = {"engine", "quiet", "verbose", "format_", "header", "dry_run"}
NOTHING: tuple[object, ...] = (None, (), [])


def defaults(function: object) -> dict[str, object]:
    parameters = inspect.signature(function).parameters  # type: ignore[arg-type]  # a callable
    return {
        name: getattr(p.default, "value", p.default)
        for name, p in parameters.items()
        if p.default is not inspect.Parameter.empty
    }


def same(left: object, right: object) -> bool:
    return left == right or (left in NOTHING and right in NOTHING)


def test_flow_and_command_and_options_have_the_same_names_and_defaults() -> None:
    fields = EvaluateOptions.model_fields
    stated = {name: f.default for name, f in fields.items() if not f.is_required()}
    in_flow = defaults(flow.fn)
    in_command = {n: v for n, v in defaults(command).items() if n not in COMMAND_ONLY}
    assert in_flow.keys() == stated.keys() == in_command.keys()
    assert [n for n in stated if not same(stated[n], in_flow[n])] == []
    assert [n for n in stated if not same(stated[n], in_command[n])] == []


def test_flow_and_command_and_options_of_packs_have_the_same_names_and_defaults() -> None:
    stated = {name: field.default for name, field in PackOptions.model_fields.items()}
    in_flow = defaults(pack_flow.fn)
    in_command = {n: v for n, v in defaults(pack_command).items() if n not in COMMAND_ONLY}
    assert in_flow.keys() == stated.keys() == in_command.keys()
    assert [n for n in stated if not same(stated[n], in_flow[n])] == []
    assert [n for n in stated if not same(stated[n], in_command[n])] == []


# A pack has rows in place of items, and verifiers in place of wordings, votes and a panel.
NOT_IN_PACKS = {
    *("benchmark", "tie_break", "parser", "question_form", "coherence_frame", "strip_tex"),
    *("paraphrase_variant", "paraphrase_cycle", "allow_plugins", "tag", "output", "log", "curtail"),
}


def test_a_pack_has_every_option_of_an_evaluation_that_makes_sense_there() -> None:
    own, fields = EvaluateOptions.model_fields, PackOptions.model_fields
    shared = own.keys() - NOT_IN_PACKS
    assert shared <= fields.keys()
    differing = [n for n in shared if not same(fields[n].default, own[n].default)]
    assert sorted(set(differing) - {"model"}) == ["n_samples"]


# An evaluation has one benchmark, model, name and pair of files; a sweep has many. Its runs share
# samples as long as every one of them is drawn.
NOT_IN_SWEEPS = {"benchmark", "model", "paraphrase_cycle", "run_id", "output", "log", "curtail"}
SWEEP_ONLY = {"vary", "name"}


def test_a_sweep_has_every_option_of_an_evaluation_that_makes_sense_there() -> None:
    wanted = EvaluateOptions.model_fields.keys() - NOT_IN_SWEEPS
    in_suite = SweepSettings.model_fields.keys() | SweepEffort.model_fields.keys()
    in_flow = inspect.signature(sweep_flow.fn).parameters.keys()
    in_command = inspect.signature(sweep_command).parameters.keys()
    assert in_flow - {"suite", "benchmarks", "models", "epoch_from_schedule"} - SWEEP_ONLY == wanted
    assert in_command - {"paths", "model"} - SWEEP_ONLY - COMMAND_ONLY == wanted
    # The place of results and leave to run code are not for a file to decide.
    assert in_suite == wanted - {"fresh", "output_dir", "allow_plugins"}


def test_a_suite_has_the_defaults_of_an_evaluation() -> None:
    fields = SweepSettings.model_fields | SweepEffort.model_fields
    own = EvaluateOptions.model_fields
    assert [n for n, f in fields.items() if not same(f.default, own[n].default)] == []


@pytest.mark.parametrize(
    ("options", "flag"),
    [
        ({"n_samples": 0}, "--n-samples"),
        ({"max_tokens": 0}, "--max-tokens"),
        ({"temperature": float("nan")}, "--temperature"),
        ({"temperature": -1.0}, "--temperature"),
        ({"top_p": 1.5}, "--top-p"),
        ({"tie_break": "coin"}, "--tie-break"),
        ({"parser": "guess"}, "--parser"),
        ({"question_form": "why"}, "--question-form"),
        ({"paraphrase_variant": -1}, "--paraphrase-variant"),
        ({"concurrency": 0}, "--concurrency"),
        ({"timeout": 0.0}, "--timeout"),
        ({"max_retries": -1}, "--max-retries"),
        ({"max_calls": -1}, "--max-calls"),
        ({"max_failed": 1.5}, "--max-failed"),
        ({"limit": -1}, "--limit"),
        ({"rpm": 0}, "--rpm"),
        ({"max_cost": -1.0}, "--max-cost"),
        ({"max_cost": float("nan")}, "--max-cost"),
        ({"extra_body": "[1]"}, "--extra-body"),
        ({"extra_body": "{"}, "--extra-body"),
        ({"extra_body": '{"model": "x"}'}, "--extra-body"),
        ({"extra_body": '{"temperature": 2}'}, "--extra-body"),
        ({"run_id": "a/b"}, "--run-id"),
        ({"run_id": "OUTPUT"}, "--run-id"),
        ({"model": "coin"}, "--model"),
        ({"fresh": True, "epoch": "e"}, "--fresh"),
        ({"paraphrase_cycle": True, "paraphrase_variant": 1}, "--paraphrase-cycle"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else value,
)
def test_an_impossible_value_is_refused_by_the_name_of_its_flag(
    options: dict[str, object], flag: str
) -> None:
    with pytest.raises(UserError) as caught:
        make_order(**({"benchmark": "b.json", "model": "control/coin"} | options))
    assert flag in str(caught.value)


def test_run_ids_that_nobody_chose_do_not_repeat() -> None:
    ids = {make_order(benchmark="b", model="control/coin")[0].run_id for _ in range(50)}
    assert len(ids) == 50


@pytest.mark.parametrize(
    ("options", "flag"),
    [
        ({"n_samples": 0}, "--n-samples"),
        ({"n_samples": 10**6}, "--n-samples"),
        ({"limit": 0}, "--limit"),
        ({"profile": "other"}, "--profile"),
        ({"max_failed": 2.0}, "--max-failed"),
        ({"rpm": 0}, "--rpm"),
        ({"extra_body": "[1]"}, "--extra-body"),
        ({"fresh": True, "epoch": "e"}, "--fresh"),
        ({"run_id": "a/b"}, "--run-id"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else value,
)
def test_an_impossible_value_for_a_pack_is_refused_by_the_name_of_its_flag(
    options: dict[str, object], flag: str
) -> None:
    with pytest.raises(UserError) as caught:
        make_pack_order(**({"pack": "p", "model": "control/coin"} | options))
    assert flag in str(caught.value)
