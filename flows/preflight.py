"""What can be refused before anything runs."""

from pathlib import Path
from typing import Any

from flows.options import require_plain_benchmark_id
from schemas.benchmark import Benchmark
from schemas.errors import UserError
from schemas.pack_run import PackOrder
from schemas.run import RunOrder
from schemas.settings import read_settings
from schemas.strict_json import NotStrictJson, parse
from tasks.benchmarks import check_benchmark
from tasks.expand import select, wordings_of
from tasks.prompting.expansion import require_variant
from tasks.providers.prices import find_price
from tasks.providers.registry import check_model
from tasks.storage.files import read_regular
from tasks.storage.packs import open_pack
from tasks.storage.places import RunPlaces


def preflight(order: RunOrder, *, cycle: bool) -> Benchmark:
    """Refuse an order that cannot succeed; nothing is written and no model is asked.

    Raises:
        UserError: The benchmark, the model, the selection or the run id is wrong.
    """
    spec = order.spec
    benchmark = check_benchmark(read_regular(spec.benchmark)).require(spec.benchmark)
    require_plain_benchmark_id(benchmark.id, spec.benchmark)
    base_url = check_model(spec.model).base_url
    require_variant(benchmark, spec.prompting.variant)
    wordings_of(benchmark, order.spec.prompting)
    select(benchmark, spec.selection)
    require_known_price(order, base_url)
    several = cycle and benchmark.n_variants > 1
    orders = [order.for_variant(k) for k in range(benchmark.n_variants)] if several else [order]
    for one in orders:
        places = RunPlaces(one.destination, benchmark.id, one.run_id)
        require_possible_places(one, places)
        require_free_run_id(one, places)
    return benchmark


def preflight_pack(order: PackOrder) -> None:
    """Refuse an order for a pack that cannot succeed, as far as its manifest shows.

    Rows are checked by the first stage, which reads them anyway; it asks nobody either.

    Raises:
        UserError: The pack, the model, the answers or the run id is wrong.
    """
    spec = order.spec
    pack = open_pack(spec.place.pack, spec.place.tasks, spec.reading.profile)
    require_plain_benchmark_id(pack.manifest.id, str(pack.places.manifest))
    if spec.has_answers:
        read_regular(spec.model.model_id)
    else:
        require_known_price(order, check_model(spec.model).base_url)
    places = RunPlaces(order.destination, pack.manifest.id, order.run_id)
    require_directory(places)
    require_free_run_id(order, places)


def require_known_price(order: RunOrder | PackOrder, base_url: str | None) -> None:
    """Refuse a limit on money for a model whose price nobody knows.

    Raises:
        UserError: There is such a limit.
    """
    if order.effort.max_cost_usd is None:
        return
    if find_price(order.spec.model, base_url, read_settings().prices) is None:
        raise UserError(
            f"the price of {order.spec.model} is unknown",
            where="--max-cost",
            fix='state it in assent.toml under [prices."provider/model"], or use --max-calls',
            code="unknown_price",
        )


def require_possible_places(order: RunOrder, places: RunPlaces) -> None:
    """Refuse files that cannot be written, or would replace each other or the benchmark.

    Raises:
        UserError: One would, or a directory stands where a file shall go, or the other way round.
    """
    destination = order.destination
    require_directory(places)
    taken = {
        Path(order.spec.benchmark).resolve(): "is the benchmark itself",
        places.output.resolve(): "is the output document of the run",
    }
    if order.spec.model.provider == "replay":
        taken[Path(order.spec.model.model_id).resolve()] = "is the recording"
    state = read_settings().home.resolve()
    for option, name in (("-o", destination.evaluation_file), ("--log", destination.log_file)):
        if name is None:
            continue
        place = Path(name)
        if place.is_dir():
            raise _bad_place(option, place, "is a directory")
        if place.exists() and not place.is_file():
            raise _bad_place(option, place, "is not a regular file")
        if place.resolve().is_relative_to(state):
            raise _bad_place(option, place, "lies in the state directory")
        if place.resolve() in taken:
            raise _bad_place(option, place, taken[place.resolve()])
        taken[place.resolve()] = f"is named by {option} too"


def require_directory(places: RunPlaces) -> None:
    """Refuse an output directory that is something else.

    Raises:
        UserError: It is.
    """
    if places.root.exists() and not places.root.is_dir():
        raise _bad_place("--output-dir", places.root, "is not a directory")


def _bad_place(option: str, place: Path, why: str) -> UserError:
    return UserError(f"{str(place)!r} {why}", where=option, code="bad_option")


def require_free_run_id(order: RunOrder | PackOrder, places: RunPlaces) -> None:
    """Refuse a run id that another experiment already has; the same one may be repeated.

    The same settings on files that were edited since count as the same: the run is replaced.

    Raises:
        UserError: A run of this id with other settings or another benchmark exists.
    """
    wanted = order.spec.model_dump(mode="json")
    for path in places.outputs_of_run():
        if path != places.output or _settings(path) != wanted:
            raise UserError(
                f"run id {order.run_id!r} is taken by a run with other settings or on another "
                f"benchmark ({path})",
                where="--run-id",
                fix="choose another run id",
                code="run_id_taken",
            )


def _settings(path: Path) -> object:
    try:
        document: Any = parse(path.read_bytes())
        return document["results"]["details"]["run_spec"]
    except (NotStrictJson, OSError, KeyError, TypeError):
        return None
