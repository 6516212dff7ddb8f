"""What can be refused before anything runs."""

from pathlib import Path
from typing import Any

from flows.options import require_plain_benchmark_id
from schemas.benchmark import Benchmark
from schemas.errors import UserError
from schemas.run import RunOrder
from schemas.strict_json import NotStrictJson, parse
from tasks.benchmarks import check_benchmark
from tasks.expand import select
from tasks.prompting.expansion import make_wordings, require_variant
from tasks.prompting.plugins import load_plugin
from tasks.providers.registry import check_model
from tasks.storage.files import read_regular


def preflight(order: RunOrder, *, cycle: bool) -> Benchmark:
    """Refuse an order that cannot succeed; nothing is written and no model is asked.

    Raises:
        UserError: The benchmark, the model, the selection or the run id is wrong.
    """
    spec = order.spec
    benchmark = check_benchmark(read_regular(spec.benchmark)).require(spec.benchmark)
    require_plain_benchmark_id(benchmark.id, spec.benchmark)
    check_model(spec.model)
    require_variant(benchmark, spec.prompting.variant)
    prompting = spec.prompting
    make_wordings(
        benchmark,
        prompting.question_form,
        prompting.coherence_frame,
        strip_tex=prompting.strip_tex,
        load_plugin=load_plugin if prompting.allow_plugins else None,
    )
    select(benchmark, spec.selection)
    several = cycle and benchmark.n_variants > 1
    orders = [order.for_variant(k) for k in range(benchmark.n_variants)] if several else [order]
    for one in orders:
        require_free_run_id(one)
    return benchmark


def require_free_run_id(order: RunOrder) -> None:
    """Refuse a run id that another experiment already has; the same one may be repeated.

    Raises:
        UserError: A run of this id with other settings exists.
    """
    outputs = Path(order.destination.output_dir) / "outputs"
    for path in sorted(outputs.glob(f"*/{_escaped(order.run_id)}.json")):
        if path.parent.name in {"schemas", "artifacts"}:
            continue
        found = _settings_of(path)
        if found is not None and found != order.spec.model_dump(mode="json"):
            raise UserError(
                f"run id {order.run_id!r} is taken by a run with other settings ({path})",
                where="--run-id",
                fix="choose another run id",
                code="run_id_taken",
            )


def _escaped(name: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


def _settings_of(path: Path) -> Any:
    try:
        document: Any = parse(path.read_bytes())
        return document["results"]["details"]["run_spec"]
    except (NotStrictJson, OSError, KeyError, TypeError):
        return {}
