"""Which characters are letters of which kind of script.

Python's tables know no scripts, hence the ranges. They are those of the scripts that put no spaces
between words (Hangul counts as one), where a word may begin and end next to any other letter.
"""

import re
import unicodedata
from typing import Final

_HAN: Final = "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff"
_MORE_HAN: Final = "\uf900-\ufaff\U00016fe2-\U00016ff6\U00020000-\U0003ffff"
_KANA: Final = "\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001aff0-\U0001b16f\U0001f200"
_HANGUL: Final = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff\uffa0-\uffdc"
_THAI: Final = "\u0e00-\u0e7f"
_LAO: Final = "\u0e80-\u0eff"
_KHMER: Final = "\u1780-\u17ff\u19e0-\u19ff"
_MYANMAR: Final = "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"

_UNSPACED: Final = re.compile(f"[{_HAN}{_MORE_HAN}{_KANA}{_HANGUL}{_THAI}{_LAO}{_KHMER}{_MYANMAR}]")
_TOKEN_BY_ITSELF: Final = re.compile(f"[{_HAN}{_MORE_HAN}{_KANA}{_THAI}]")


def is_letter(char: str) -> bool:
    """Whether a character is a letter, a digit, or a mark that belongs to one."""
    if char.isascii():
        return char.isalnum()
    return char.isalnum() or unicodedata.category(char)[0] == "M"


def is_spaced_letter(char: str) -> bool:
    """Whether a character is a letter or digit of a script that puts spaces between words."""
    return is_letter(char) and _UNSPACED.match(char) is None


def is_token_by_itself(char: str) -> bool:
    """Whether a character is of Han, Kana or Thai, where each one counts as a token."""
    return _TOKEN_BY_ITSELF.match(char) is not None
