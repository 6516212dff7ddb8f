"""Every rule of the pack format has a test that carries its number.

`required/*.txt` list the ids, one per line: `s<section>-<rule>` or `FIX-<n>`. Whoever builds a part
of the format adds a file of their own. A test carries an id as (the beginning of) its parameter id.
"""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
REQUIRED = Path(__file__).resolve().parent / "required"
ID = re.compile(r"(?:s\d+(?:\.\d+)?|FIX)-[\w.{}-]+")


def carried() -> set[str]:
    """Ids that stand in test sources as whole strings; `{…}` is filled from a table."""
    found = set[str]()
    for file in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            text = None
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
            elif isinstance(node, ast.JoinedStr):
                text = ast.unparse(node)[2:-1]
            if text and ID.fullmatch(re.sub(r"\{[^}]*\}", "{}", text)):
                found.add(re.sub(r"\{[^}]*\}", "{}", text))
    return found


def is_carried(wanted: str, ids: set[str]) -> bool:
    patterns = (re.escape(known).replace(r"\{\}", r"[\w.-]+") for known in ids)
    return any(re.fullmatch(rf"{pattern}", wanted) for pattern in patterns) or any(
        known.startswith(f"{wanted}-") for known in ids
    )


def test_every_required_id_is_carried_by_a_test() -> None:
    wanted = {line for f in REQUIRED.glob("*.txt") for line in f.read_text("utf-8").split()}
    ids = carried()
    assert len(wanted) > 100
    assert sorted(one for one in wanted if not is_carried(one, ids)) == []


def test_an_id_that_nobody_carries_is_noticed() -> None:
    assert not is_carried("-".join(("s99", "nothing")), carried())
