"""How texts are compared: spelling out what does not matter."""

import re
import unicodedata

_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"))
_SPACE = re.compile(r"\s+")
STRIPPED = " \t\r\n\"'`.,;:"
"""Characters that are taken off both ends."""


def plain(text: str) -> str:
    """N(x), as the public tool compares: trimmed, lower case, single spaces, bare ends."""
    return _SPACE.sub(" ", text.strip().lower()).strip(STRIPPED)


def folded_text(text: str) -> str:
    """N*(x): compatible characters, nothing invisible, case folded, then as `plain`."""
    visible = unicodedata.normalize("NFKC", text).translate(_INVISIBLE)
    return _SPACE.sub(" ", visible.strip().casefold()).strip(STRIPPED)
