"""What tests see of a candidate that runs in another sandbox."""

from typing import Any

import pytest

from tasks.packs.candidates import Candidate
from tasks.packs.judging import Judging, Result, judge
from tasks.sandbox.verifying import LocalSandbox
from tests.support.scored_rows import NoFiles, compiled, row

pytestmark = pytest.mark.needs("bubblewrap")

SHAPES = """
import math
LIMIT = {"most": (3, 4)}
class Shape:
    sides = 4
    def __init__(self, size): self.size = size
    def area(self): return self.size ** 2
    def __len__(self): return 4
    def __iter__(self): return iter([self.size] * 4)
    def __getitem__(self, at): return (self.size,) * 4 if isinstance(at, slice) else self.size
    def __str__(self): return f"square {self.size}"
    def __enter__(self): return self.size
    def __exit__(self, *error): self.size = 0
class TooSmall(ValueError):
    def __init__(self, size):
        super().__init__(f"{size} is too small")
        self.size = size
def make(size):
    if size < 1: raise TooSmall(size)
    return Shape(size)
def measure(shape): return shape.area()
def count():
    yield from (1, 2, 3)
def apply(function, values): return [function(value) for value in values]
def swap(rows): rows.reverse()
def same(value): return value
async def later(value): return value + 1
def fail(): return [][1]
"""


def verify(source: str, tests: str, **changes: Any) -> Result:
    given = {"tests": {"source": "inline", "code": tests}}
    task = compiled(row("code_completion", eval=given, **changes))
    return judge(task, Candidate("text", source), Judging(), LocalSandbox(NoFiles()))


@pytest.mark.parametrize(
    "tests",
    [
        "assert LIMIT == {'most': (3, 4)}",
        "s = make(3)\nassert (s.size, s.area(), len(s), str(s)) == (3, 9, 4, 'square 3')",
        "assert list(make(2)) == [2, 2, 2, 2] and make(2)[0] == 2 and make(2)[1:] == (2,) * 4",
        "s = Shape(2)\nassert isinstance(s, Shape) and Shape.sides == 4 and measure(s) == 4",
        "s = Shape(2)\nwith s as size:\n    assert size == 2\nassert s.size == 0",
        "s = Shape(2)\ns.size = 5\nassert s.area() == 25",
        "assert same(make(1)) != make(1)\ns = make(1)\nassert same(s) is s",
        "try:\n    make(0)\nexcept TooSmall as error:\n"
        "    assert str(error) == '0 is too small' and error.size == 0\nelse:\n    assert False",
        "try:\n    make(0)\nexcept ValueError:\n    pass",
        "try:\n    fail()\nexcept IndexError as error:\n    assert 'range' in str(error)",
        "assert list(count()) == [1, 2, 3] and sum(count()) == 6",
        "assert apply(lambda v: v + 1, (v for v in (1, 2))) == [2, 3]",
        "assert apply(int, ['1', '2']) == [1, 2] and apply(abs, [-1]) == [1]",
        "a, b = [1], [2]\nrows = [a, b]\nswap(rows)\nassert rows[0] is b and rows[1] is a",
        "import asyncio\nassert asyncio.run(later(1)) == 2",
        "assert math.sqrt(4) == 2",
    ],
)
def test_an_honest_candidate_passes_tests_that(tests: str) -> None:
    result = verify(SHAPES, tests)
    assert result.status == "passed", result


@pytest.mark.parametrize(
    ("source", "tests", "reason", "phase"),
    [
        ("def f(): return 2", "assert f() == 1", "tests_failed", "tests"),
        ("def f(: pass", "assert True", "tests_failed", "import"),
        ("raise ValueError", "assert True", "tests_failed", "import"),
        ("def g(): pass", "assert f() == 1", "tests_failed", "tests"),
        ("def f(): return 1", "raise SystemExit(0)", "tests_failed", "tests"),
    ],
)
def test_a_candidate_fails_with_reason_and_phase(
    source: str, tests: str, reason: str, phase: str
) -> None:
    result = verify(source, tests)
    assert (result.status, result.reason, result.phase) == ("failed", reason, phase)


def test_a_candidate_that_takes_too_long_is_timed_out() -> None:
    result = verify("def f():\n    while True: pass", "f()", environment={"timeout_seconds": 0.5})
    assert (result.status, result.reason) == ("failed", "verifier_timeout")


def test_tests_that_are_no_python_are_the_fault_of_the_pack() -> None:
    result = verify("def f(): return 1", "assert f( == 1")
    assert (result.status, result.reason) == ("error", "unusable_tests")


def test_a_builtin_is_shadowed_only_where_the_row_asks_for_it() -> None:
    source = "def sum(xs):\n    return 'mine'\n"
    asked = {"prompt": "Write\n\ndef sum(xs):\n    ..."}
    assert verify(source, "assert sum([1]) == 'mine'").status == "failed"
    assert verify(source, "assert sum([1]) == 'mine'", input=asked).status == "passed"


def test_what_the_tests_say_is_not_in_the_result() -> None:
    result = verify("def f(): return 1", "secret = 'rosebud'\nassert f() == 2, secret")
    assert result.stderr == "AssertionError at line 2 of the tests\n"
    assert "rosebud" not in repr(result)


def test_the_record_says_who_kept_the_limits() -> None:
    limits = verify("def f(): return 1", "assert f() == 1").metadata["limits"]
    assert limits["processes"] == "kernel"
    assert limits["memory"] == "polled"


def test_a_row_with_an_image_is_not_run_in_another_sandbox() -> None:
    result = verify("def f(): return 1", "assert f() == 1", environment={"image": "img:1"})
    assert (result.status, result.reason) == ("error", "sandbox_unavailable")
