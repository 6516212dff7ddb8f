"""Stage: a benchmark becomes prompts."""

from schemas.benchmark import Benchmark, Item
from schemas.documents import CheckedBenchmark, PromptTable
from schemas.errors import UserError
from schemas.evaluation import DEFAULT_FRAME
from schemas.run import PromptingSpec, Selection
from schemas.settings import read_settings
from schemas.tables import PromptRow
from tasks.prompting.contexts import builder_identity
from tasks.prompting.expansion import Wordings, expand, make_wordings, require_variant
from tasks.prompting.plugins import load_plugin
from tasks.prompting.questions import coherence_frame, support_question
from tasks.stage import stage
from tasks.storage.home import Home
from tasks.storage.tables import write_table
from tasks.validate import load_benchmark


@stage("expand-prompts", version=1, uncached=lambda inputs: bool(inputs["benchmark"].plugins))
def expand_prompts(
    benchmark: CheckedBenchmark, prompting: PromptingSpec, selection: Selection
) -> PromptTable:
    """Prompts of the selected items under one wording.

    Raises:
        UserError: The variant, an item or a tag does not exist, or a plugin is not allowed.
    """
    home = Home(read_settings().home)
    full = load_benchmark(home, benchmark)
    require_variant(full, prompting.variant)
    wordings = wordings_of(full, prompting)
    chosen = {item.id for item in select(full, selection)}
    # Ordinals are counted over the whole benchmark, so that a partial run shares its draws.
    rows = [row for row in expand(full, wordings, prompting.variant) if row.item_id in chosen]
    file, count = write_table(home, "expand", PromptRow, (row.model_dump() for row in rows))
    builders = full.context_builders
    is_coherence = prompting.question_form == "coherence"
    return PromptTable(
        file=file,
        n_prompts=count,
        benchmark_id=full.id,
        variant=prompting.variant,
        prompt_id=wordings.question.prompt_id,
        verification_prompt_id=support_question(full.verification_prompt).prompt_id,
        coherence_frame_id=(
            coherence_frame(full, prompting.coherence_frame) if is_coherence else DEFAULT_FRAME
        ),
        premise_builder_id=builder_identity(builders.premise, "conjunction-and-v1", " and "),
        conclusion_builder_id=builder_identity(builders.conclusion, "disjunction-or-v1", " or "),
        plugins=wordings.plugins,
        parse_regex=None if is_coherence else wordings.question.parse_regex,
    )


def wordings_of(benchmark: Benchmark, prompting: PromptingSpec) -> Wordings:
    """How a benchmark is asked under some settings.

    Raises:
        UserError: A plugin is needed and not allowed, or an id is unknown.
    """
    return make_wordings(
        benchmark,
        prompting.question_form,
        prompting.coherence_frame,
        strip_tex=prompting.strip_tex,
        load_plugin=load_plugin if prompting.allow_plugins else None,
    )


def select(benchmark: Benchmark, selection: Selection) -> list[Item]:
    """The items that a run asks, in file order.

    Raises:
        UserError: An item or a tag does not exist, or nothing is left.
    """
    known_ids = {item.id for item in benchmark.items}
    known_tags = {tag for item in benchmark.items for tag in item.tags}
    _require("item", "--items", selection.items, known_ids)
    _require("tag", "--tag", selection.tags, known_tags)
    items = [
        item
        for item in benchmark.items
        if (not selection.items or item.id in selection.items)
        and (not selection.tags or set(item.tags) & set(selection.tags))
    ]
    chosen = items[: selection.limit]
    if benchmark.items and not chosen:
        raise UserError(
            "no item is left to ask",
            where="--limit, --items, --tag",
            fix="loosen one of them",
            code="nothing_selected",
        )
    return chosen


def _require(what: str, option: str, wanted: tuple[str, ...], known: set[str]) -> None:
    unknown = [name for name in wanted if name not in known]
    if unknown:
        shown = ", ".join(sorted(known)[:20]) or "none"
        more = f" and {len(known) - 20} more" if len(known) > 20 else ""
        raise UserError(
            f"the benchmark has no {what} {unknown[0]!r}",
            where=option,
            fix=f"known: {shown}{more}",
            code=f"unknown_{what}",
        )
