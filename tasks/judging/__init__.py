"""From replies to verdicts: read a label out of each reply, then vote.

Promises: nothing here does I/O; reading never raises on any text, and the built-in parsers take
time linear in the reply; every parser has a version that results record.

Traps: the coherence labels are inverted (incoherent is good). A reply without a usable label
votes abstain; a failed sample does not vote at all, so leave it out before calling `vote`.
An item without votes gets the verdict abstain as well: ask `Tally.is_missing`. Changing how any
reply is read means raising its entry in `PARSER_VERSIONS`.
"""

from tasks.judging.parsing import (
    FAILED,
    PARSER_VERSIONS,
    Parsed,
    ReplyParser,
    compile_own_regex,
    make_parser,
    parse_reply,
    regex_fault,
)
from tasks.judging.voting import Tally, vote

__all__ = [
    "FAILED",
    "PARSER_VERSIONS",
    "Parsed",
    "ReplyParser",
    "Tally",
    "compile_own_regex",
    "make_parser",
    "parse_reply",
    "regex_fault",
    "vote",
]
