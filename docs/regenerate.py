"""Rewrites every generated block of the documentation: `python -m docs.regenerate`.

A block whose content differs only in run ids, times or durations stays as it is.
"""

import sys
from collections.abc import Callable, Mapping

from docs.generate import facts, models
from docs.generate.blocks import ROOT, Block, markdown_files, rewrite
from docs.generate.coverage import coverage_tables
from docs.generate.transcripts import console, help_text

_FACTS: Mapping[str, Callable[[], str]] = {
    "coverage": coverage_tables,
    "file-metadata": facts.file_metadata,
    "log-events": facts.log_events,
    "output-cases": facts.output_cases,
    "output-details": facts.output_details,
    "output-metrics": facts.output_metrics,
    "printed-metrics": facts.printed_metrics,
    "printed-result": facts.printed_result,
    "settings": models.settings_table,
}
_NAMED: Mapping[str, Callable[[str], str]] = {
    "columns": models.column_table,
    "schema": models.schema_tables,
}


def content_of(block: Block, *, on_prefect: bool = False) -> str:
    """What a block should hold now.

    Args:
        block: The block.
        on_prefect: Whether `make demo` runs on Prefect, as it does for users, which takes longer.

    Raises:
        ValueError: Nobody knows how to make a block of this kind.
    """
    match block.kind, block.arguments:
        case "console", ():
            return console(block.content, on_prefect=on_prefect)
        case kind, () if kind in _FACTS:
            return _FACTS[kind]()
        case "help", words if words:
            return help_text(" ".join(words))
        case kind, (name,) if kind in _NAMED:
            return _NAMED[kind](name)
    raise ValueError(f"unknown kind of block: {block}")


def main() -> None:
    """Rewrite all files and name those that changed."""
    for file in markdown_files():
        changed = rewrite(file, lambda block: content_of(block, on_prefect=True))
        state = "rewritten" if changed else "unchanged"
        sys.stdout.write(f"{state}  {file.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
