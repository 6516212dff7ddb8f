import inspect
import json
import math
import pickle
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import TypeAlias

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from schemas import strict_json
from schemas.errors import Problem
from schemas.json_scanner import MAX_FINDINGS, scan
from schemas.strict_json import (
    MAX_DEPTH,
    MAX_KEY_SHOWN,
    JsonValue,
    NotStrictJson,
    line_of,
    location,
    parse,
)

BOM = b"\xef\xbb\xbf"
LARGEST_DOUBLE = int(sys.float_info.max)
FIRST_TO_OVERFLOW = 2**1024 - 2**970

Path: TypeAlias = tuple[str | int, ...]

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
json_values: st.SearchStrategy[JsonValue] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)
fragments = st.sampled_from(
    [
        *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b" ", b"\n", b"\t", b"\x00", b"/", b"'"),
        *(b"NaN", b"-Infinity", b"1e999", b"-1e400", b"9" * 320, b"9" * 5000, b"1.", b"-", b"01"),
        *(b"tru", b"null", b'"a":1,"a":2', b'"a"', b"{}", b"[]", b"\xff", b"\xc3\xa9", BOM),
        *(rb"\ud800", rb"\uDFFF", rb"\ud83d\ude00", rb"\u12", rb"\x", rb"\n", b"[" * 201, b"]" * 9),
    ]
)


@st.composite
def spoilt_documents(draw: st.DrawFn) -> bytes:
    """JSON documents in which a few places were overwritten."""
    indent = draw(st.sampled_from([None, 1]))
    data = json.dumps(draw(json_values), indent=indent, ensure_ascii=draw(st.booleans())).encode()
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 3)))
        data = data[:start] + draw(fragments | st.just(b"")) + data[end:]
    return data


def problems_of(data: bytes, *, allow_bom: bool = False) -> tuple[Problem, ...]:
    with pytest.raises(NotStrictJson) as caught:
        parse(data, allow_bom=allow_bom)
    return caught.value.problems


def only_problem_of(data: bytes) -> Problem:
    (problem,) = problems_of(data)
    return problem


def objections_to(text: str) -> set[str]:
    """The codes that a text deserves which the json module reads; told apart by slower means."""
    found: set[str] = set()

    def number(digits: str) -> None:
        if math.isinf(float(digits)):
            found.add("non_finite_number")

    def members(pairs: list[tuple[str, object]]) -> list[tuple[str, object]]:
        if len({key for key, _ in pairs}) < len(pairs):
            found.add("duplicate_key")
        return pairs

    everything = json.loads(
        text,
        object_pairs_hook=members,
        parse_int=number,
        parse_float=number,
        parse_constant=lambda _: found.add("non_finite_number"),
    )
    brackets = re.sub(r'"(?:[^"\\]|\\.)*"|[^][{}]', "", text)
    depths = accumulate(1 if bracket in "[{" else -1 for bracket in brackets)
    written = json.dumps(everything, ensure_ascii=False)
    if max(depths, default=0) > MAX_DEPTH or re.search("[\ud800-\udfff]", written):
        return {"invalid_json"}
    return found


def nested(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


@given(json_values, st.booleans(), st.sampled_from([None, 0, 3]))
def test_what_json_writes_is_read_back_unchanged(
    value: JsonValue, ensure_ascii: bool, indent: int | None
) -> None:
    data = json.dumps(value, ensure_ascii=ensure_ascii, indent=indent).encode()
    assert parse(data) == value


@pytest.mark.parametrize(
    ("data", "value"),
    [
        pytest.param(b" \t\r\n1 \t\r\n", 1, id="space around"),
        pytest.param(b'"\\ud83d\\ude00"', "\U0001f600", id="escaped surrogate pair"),
        pytest.param(b'"\\\\ud800"', "\\ud800", id="escaped backslash before ud800"),
        pytest.param(b'{"\\uD83D\\uDE00": 1}', {"\U0001f600": 1}, id="surrogate pair in a key"),
        pytest.param(b'"\xf0\x9f\x98\x80"', "\U0001f600", id="raw character beyond the BMP"),
        pytest.param(b'"\\u0000"', "\0", id="escaped NUL"),
        pytest.param(b'"%s"' % (b"7" * 400), "7" * 400, id="many digits in a string"),
        pytest.param(b'["NaN", "1e999"]', ["NaN", "1e999"], id="numbers in strings"),
        pytest.param(b"%d" % LARGEST_DOUBLE, LARGEST_DOUBLE, id="largest double as integer"),
        pytest.param(b"-%d" % LARGEST_DOUBLE, -LARGEST_DOUBLE, id="smallest double as integer"),
        pytest.param(b"%d" % (FIRST_TO_OVERFLOW - 1), FIRST_TO_OVERFLOW - 1, id="rounds down"),
        pytest.param(b"1.7976931348623157e308", sys.float_info.max, id="largest double"),
        pytest.param(b"1e-999", 0.0, id="underflow"),
        pytest.param(b"0e999", 0.0, id="zero with a huge exponent"),
        pytest.param(b'[{"a": 1}, {"a": 1}]', [{"a": 1}, {"a": 1}], id="key repeated next door"),
        pytest.param(b'{"a": {"a": 1}}', {"a": {"a": 1}}, id="key repeated further in"),
        pytest.param(b'"[[[["', "[[[[", id="brackets in a string"),
        pytest.param(b"[" + b"[]," * 300 + b"1]", [[]] * 300 + [1], id="wide but not deep"),
    ],
)
def test_an_unusual_but_strict_document_is_read(data: bytes, value: JsonValue) -> None:
    assert parse(data) == value
    assert scan(data.decode()) == (value, (), 0)


def test_integers_stay_integers_even_beside_a_very_long_one() -> None:
    values = parse(b"[1, 1.0, %d]" % LARGEST_DOUBLE)
    assert isinstance(values, list)
    assert [type(value) for value in values] == [int, float, int]


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        pytest.param(b"", 1, 1, id="empty"),
        pytest.param(b" \n ", 2, 2, id="only space"),
        pytest.param(b'{"a": "\xff"}', 1, 8, id="invalid UTF-8"),
        pytest.param(b'["\xc3\xa9",\n "\xc3\xa9\xc3"]', 2, 4, id="columns count characters"),
        pytest.param(b'"\xed\xa0\x80"', 1, 2, id="surrogate encoded as UTF-8"),
        pytest.param(b'"\xc0\x80"', 1, 2, id="overlong UTF-8"),
        pytest.param("{}".encode("utf-16"), 1, 1, id="UTF-16 with a mark"),
        pytest.param("{}".encode("utf-16-le"), 1, 2, id="UTF-16 without a mark"),
        pytest.param("{}".encode("utf-32-be"), 1, 1, id="UTF-32"),
        pytest.param(BOM + b"{}", 1, 1, id="byte order mark"),
        pytest.param(b"{}" + BOM, 1, 3, id="byte order mark at the end"),
        pytest.param(b"{} {}", 1, 4, id="text after the document"),
        pytest.param(b'{\n"a": 1}\n}', 3, 1, id="one bracket too many"),
        pytest.param(b'{"a": 1,\n "b": ', 2, 7, id="truncated before a value"),
        pytest.param(b'{"a"', 1, 5, id="truncated before a colon"),
        pytest.param(b"[1, 2", 1, 6, id="truncated in an array"),
        pytest.param(b"{", 1, 2, id="truncated before a key"),
        pytest.param(b'[\n"abc', 2, 1, id="truncated in a string"),
        pytest.param(b"[1,\n]", 2, 1, id="trailing comma in an array"),
        pytest.param(b'{"a": 1,}', 1, 9, id="trailing comma in an object"),
        pytest.param(b"[1 2]", 1, 4, id="missing comma"),
        pytest.param(b'{"a" 1}', 1, 6, id="missing colon"),
        pytest.param(b'{"a": 1]', 1, 8, id="wrong bracket"),
        pytest.param(b"{a: 1}", 1, 2, id="bare key"),
        pytest.param(b"{1: 1}", 1, 2, id="number as key"),
        pytest.param(b"['a']", 1, 2, id="single quotes"),
        pytest.param(b"[None]", 1, 2, id="foreign constant"),
        pytest.param(b"// no\n1", 1, 1, id="comment"),
        pytest.param(b"[01]", 1, 3, id="leading zero"),
        pytest.param(b"[+1]", 1, 2, id="plus sign"),
        pytest.param(b"[1.]", 1, 3, id="no digit after the point"),
        pytest.param(b"[-]", 1, 2, id="only a minus sign"),
        pytest.param("[\u0661]".encode(), 1, 2, id="Arabic digit"),
        pytest.param("[\u00a01]".encode(), 1, 2, id="no-break space"),
        pytest.param(b'["a\nb"]', 1, 4, id="line feed in a string"),
        pytest.param(b'["a\\x41"]', 1, 4, id="unknown escape"),
        pytest.param(b'"\\ud800"', 1, 1, id="lone high surrogate"),
        pytest.param(b'[1,\n"a\\uDFFFb"]', 2, 1, id="lone low surrogate"),
        pytest.param(b'"\\ude00\\ud83d"', 1, 1, id="surrogate pair the wrong way round"),
        pytest.param(b'{"\\ud83d": 1}', 1, 2, id="lone surrogate in a key"),
        pytest.param(b'"\\ud83d\\ude00 \\ud83d"', 1, 1, id="lone surrogate after a pair"),
        pytest.param(nested(201), 1, 201, id="201 levels"),
        pytest.param(nested(900), 1, 201, id="900 levels"),
        pytest.param(b'{"a":\n' * 201 + b"1" + b"}" * 201, 201, 1, id="201 levels of objects"),
        pytest.param(b"[[]," + nested(200) + b"]", 1, 204, id="too deep in a later element"),
        pytest.param(b"[NaN, 1e999, NaN", 1, 17, id="broken after numbers that are not finite"),
        pytest.param(b'{"a": 1, "a": 2} x', 1, 18, id="broken after a repeated key"),
    ],
)
def test_a_broken_document_is_one_invalid_json_at_its_line_and_column(
    data: bytes, line: int, column: int
) -> None:
    problem = only_problem_of(data)
    assert (problem.code, problem.location, problem.line) == ("invalid_json", "$", line)
    assert problem.message.startswith(f"line {line}, column {column}: ")
    assert problem.fix


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(b"", "found no text at all", id="empty"),
        pytest.param(b"[", "found the end of the text", id="truncated"),
        pytest.param(b"[undefined]", "expected a value, found 'undefined'", id="word"),
        pytest.param(b"[%s]" % (b"x" * 99), f"found '{'x' * 20}'", id="long word"),
        pytest.param(b"[\x1b]", r"found '\x1b'", id="control character"),
        pytest.param("[\u202e]".encode(), r"found '\u202e'", id="bidirectional control"),
        pytest.param(b'"a', "the string is never closed", id="open string"),
        pytest.param(b'"\t"', r"control character '\t' inside a string", id="tab in a string"),
        pytest.param(b'"\\q"', "unknown backslash escape", id="escape"),
        pytest.param(b'"\\u12g4"', "unknown backslash escape", id="hexadecimal digits"),
        pytest.param(b'"\\udc00"', r"holds \udc00, half of a surrogate pair", id="surrogate"),
        pytest.param(BOM, "starts with a byte order mark", id="byte order mark"),
        pytest.param(b"\xff", "byte 0xff is not UTF-8", id="encoding"),
        pytest.param(nested(201), "nested deeper than 200 levels", id="depth"),
        pytest.param(b'{"a": 1 2}', "expected ',' or '}', found '2'", id="object goes on"),
        pytest.param(b"[1:", "expected ',' or ']', found ':'", id="array goes on"),
    ],
)
def test_the_message_says_what_is_broken(data: bytes, said: str) -> None:
    assert said in only_problem_of(data).message


def test_the_deepest_nesting_allowed_is_read() -> None:
    value = parse(nested(MAX_DEPTH))
    assert value == json.loads(nested(MAX_DEPTH))


def test_a_permitted_byte_order_mark_is_dropped_once() -> None:
    assert parse(BOM + b"{}", allow_bom=True) == {}
    assert parse(b"{}", allow_bom=True) == {}
    (problem,) = problems_of(BOM + BOM + b"{}", allow_bom=True)
    assert (problem.code, problem.line) == ("invalid_json", 1)


def test_a_permitted_byte_order_mark_takes_no_column() -> None:
    (problem,) = problems_of(BOM + b"[\xff]", allow_bom=True)
    assert problem.message.startswith("line 1, column 2: ")


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(b"NaN", id="NaN"),
        pytest.param(b"Infinity", id="Infinity"),
        pytest.param(b"-Infinity", id="minus Infinity"),
        pytest.param(b"1e999", id="exponent"),
        pytest.param(b"-1E+400", id="negative exponent form"),
        pytest.param(b"1" * 320 + b".5", id="long before the point"),
        pytest.param(b"1" * 310, id="310 digits"),
        pytest.param(b"%d" % FIRST_TO_OVERFLOW, id="first integer that overflows"),
        pytest.param(b"-%d" % FIRST_TO_OVERFLOW, id="first negative integer that overflows"),
        pytest.param(b"1" * 400, id="400 digits"),
        pytest.param(b"1" * 4301, id="more digits than Python converts"),
        pytest.param(b"-" + b"9" * 1_000_000, id="a million digits"),
    ],
)
def test_a_number_beyond_doubles_is_reported_at_its_place(number: bytes) -> None:
    problem = only_problem_of(b'{"a": [1,\n' + number + b"]}")
    assert (problem.code, problem.location, problem.line) == ("non_finite_number", "$.a[1]", 2)
    assert problem.message.startswith(number.decode()[:30])
    assert len(problem.message) < 80
    assert problem.fix


@pytest.mark.parametrize(
    ("data", "where", "line", "named"),
    [
        pytest.param(b'{"a": 1, "a": 1}', "$", 1, "'a' ", id="at the top"),
        pytest.param(b'[{\n"a": 1,\n"a": 2}]', "$[0]", 1, "repeated on line 3", id="line"),
        pytest.param(b'{"a":1,\n"a":1,\n"a":1}', "$", 1, "repeated on line 2", id="thrice"),
        pytest.param(b'{"x":\n{"b": 1, "b": 2}}', "$.x", 2, "'b' ", id="inside an object"),
        pytest.param(b'{"a": 1, "\\u0061": 2}', "$", 1, "'a' ", id="written differently"),
        pytest.param(b'{"": 1, "": 2}', "$", 1, "'' ", id="empty key"),
        pytest.param(b'{"\\n": 1, "\\n": 2}', "$", 1, r"'\n' ", id="control character"),
        pytest.param(
            b'{"b": 1, "a": 1, "a": 2, "b": 2, "a": 3, "c": 1}', "$", 1, "'a', 'b' (", id="several"
        ),
        pytest.param(
            b'{"%s": 1, "%s": 2}' % (b"k" * 99, b"k" * 99), "$", 1, f"'{'k' * 37}...'", id="long"
        ),
    ],
)
def test_repeated_keys_are_one_problem_at_their_object(
    data: bytes, where: str, line: int, named: str
) -> None:
    problem = only_problem_of(data)
    assert (problem.code, problem.location, problem.line) == ("duplicate_key", where, line)
    assert named in problem.message
    assert problem.fix


def test_only_the_first_ten_of_many_repeated_keys_are_named() -> None:
    members = b",".join(b'"k%d":1' % (i // 2) for i in range(40))
    message = only_problem_of(b"{" + members + b"}").message
    assert "'k0', " in message
    assert "'k9' and 10 more" in message
    assert "k10" not in message


def test_all_bad_numbers_and_repeated_keys_come_together_in_order_of_position() -> None:
    data = b'[NaN,\n{"a": Infinity,\n"a": {"b": 1, "b": 1e999}},\n-Infinity]'
    assert [(p.code, p.location, p.line) for p in problems_of(data)] == [
        ("non_finite_number", "$[0]", 1),
        ("duplicate_key", "$[1]", 2),
        ("non_finite_number", "$[1].a", 2),
        ("duplicate_key", "$[1].a", 3),
        ("non_finite_number", "$[1].a.b", 3),
        ("non_finite_number", "$[2]", 4),
    ]


def test_problems_beyond_the_first_thousand_are_only_counted() -> None:
    problems = problems_of(b"[" + b"NaN," * (MAX_FINDINGS + 4) + b"NaN]")
    assert len(problems) == MAX_FINDINGS
    assert problems[-1].message.endswith("; 5 further problems are not listed")
    assert "further" not in problems[-2].message


@pytest.mark.parametrize(
    ("data", "code"),
    [
        pytest.param(b"[" * 50_000_000, "invalid_json", id="fifty million brackets"),
        pytest.param(b'{"a":' * 1_000_000, "invalid_json", id="a million open objects"),
        pytest.param(b"7" * 1_000_000, "non_finite_number", id="a million digits"),
        pytest.param(b"0." + b"7" * 1_000_000 + b"e", "invalid_json", id="a million decimals"),
        pytest.param(b"1e" + b"7" * 1_000_000, "non_finite_number", id="a million exponent digits"),
        pytest.param(
            b"{" + b'"a":1,' * 100_000 + b'"a":1}', "duplicate_key", id="one key, many times"
        ),
        pytest.param(
            b"{" + b",".join(b'"%d":1' % (i % 50_000) for i in range(100_000)) + b"}",
            "duplicate_key",
            id="many keys, twice",
        ),
        pytest.param(b'"' + b"\\" * 1_000_001 + b'"', "invalid_json", id="a million backslashes"),
        pytest.param(b'"' * 1_000_000, "invalid_json", id="a million quotes"),
        pytest.param(
            b'"' + rb"\ud83d\ude00" * 100_000 + rb'\ud83d"', "invalid_json", id="many pairs"
        ),
        pytest.param(b" " * 10_000_000, "invalid_json", id="ten million spaces"),
        pytest.param(b'"\n' * 1_000_000 + b"\xff", "invalid_json", id="a million lines"),
        pytest.param(
            b'{"' + b"k" * 1_000_000 + b'": [' + b"NaN,\n" * 10_000 + b"NaN]}",
            "non_finite_number",
            id="many problems under a very long key",
        ),
    ],
)
def test_hostile_input_is_refused_without_running_out_of_time_or_stack(
    data: bytes, code: str
) -> None:
    problems = problems_of(data)
    assert {problem.code for problem in problems} == {code}
    assert sum(len("".join(problem[:4])) for problem in problems) < 300_000


def test_a_document_is_read_also_where_little_stack_is_left() -> None:
    data = nested(150)

    def descend(frames: int) -> JsonValue:
        return descend(frames - 1) if frames else parse(data)

    frames_left = sys.getrecursionlimit() - len(inspect.stack(0))
    assert descend(frames_left - 120) == json.loads(data)


@given(spoilt_documents())
@example(b'["\\ud800"]')
@example(nested(200))
@example(nested(201))
@example(b"[" + b"9" * 309 + b"]")
def test_both_readings_agree_on_every_document(data: bytes) -> None:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        assert only_problem_of(data).code == "invalid_json"
        return
    try:
        fast = strict_json._read_fast(data, text)
    except (ValueError, RecursionError):
        with pytest.raises(NotStrictJson):
            strict_json._read_slowly(text)
    else:
        assert strict_json._read_slowly(text) == fast
        assert scan(text) == (fast, (), 0)


@given(spoilt_documents())
def test_a_document_is_refused_for_just_the_reasons_that_apply_to_it(data: bytes) -> None:
    try:
        text = data.decode()
        expected = json.loads(
            text, parse_int=lambda digits: None if len(digits) > 4000 else int(digits)
        )
    except ValueError:
        assert [problem.code for problem in problems_of(data)] == ["invalid_json"]
        return
    objections = objections_to(text)
    if objections:
        assert {problem.code for problem in problems_of(data)} == objections
    else:
        assert parse(data) == expected


@given(spoilt_documents())
def test_every_problem_is_one_short_printable_line_with_a_fix(data: bytes) -> None:
    try:
        parse(data)
    except NotStrictJson as refused:
        for problem in refused.problems:
            assert problem.message.isprintable()
            assert len(problem.message) < 600
            assert problem.location.isprintable()
            assert problem.fix.isprintable()
            assert problem.fix
            assert problem.line is not None
            assert 1 <= problem.line <= data.count(b"\n") + 1


def test_the_error_survives_pickling() -> None:
    error = NotStrictJson(problems_of(b'{"a": NaN, "a": 1}'))
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is NotStrictJson
    assert (copy.problems, str(copy)) == (error.problems, str(error))


def test_the_error_reads_as_its_first_problem_and_the_number_of_others() -> None:
    with pytest.raises(NotStrictJson, match=r"^\$\[0\]: NaN is not a finite number$"):
        parse(b"[NaN]")
    with pytest.raises(NotStrictJson, match=r"^\$\[0\]: NaN .* \(and 2 more\)$"):
        parse(b"[NaN, NaN, NaN]")


def test_the_error_drags_no_internal_error_along() -> None:
    for data in (b"[", b"[NaN]", b"\xff"):
        with pytest.raises(NotStrictJson) as caught:
            parse(data)
        assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ("path", "written"),
    [
        pytest.param([], "$", id="the top"),
        pytest.param(["items", 3, "answer"], "$.items[3].answer", id="keys and indices"),
        pytest.param(["A_z-0$9"], "$.A_z-0$9", id="all plain characters"),
        pytest.param(["0"], "$.0", id="digits as a key"),
        pytest.param([""], "$['']", id="empty key"),
        pytest.param(["odd key"], "$['odd key']", id="space"),
        pytest.param(["a.b"], "$['a.b']", id="dot"),
        pytest.param(["a\n"], r"$['a\n']", id="plain but for a line feed at the end"),
        pytest.param(["é"], "$['é']", id="letter beyond ASCII"),
        pytest.param(["it's"], r"$['it\'s']", id="quote"),
        pytest.param(["a\\b"], r"$['a\\b']", id="backslash"),
        pytest.param(["a\\nb\n"], r"$['a\\nb\n']", id="backslash and line feed"),
        pytest.param(["\x1b[0m"], r"$['\x1b[0m']", id="terminal escape"),
        pytest.param(["\ud800"], r"$['\ud800']", id="lone surrogate"),
        pytest.param(["k" * MAX_KEY_SHOWN], f"$.{'k' * MAX_KEY_SHOWN}", id="longest key shown"),
        pytest.param(
            ["k" * (MAX_KEY_SHOWN + 1)], f"$['{'k' * (MAX_KEY_SHOWN - 3)}...']", id="longer key"
        ),
    ],
)
def test_a_location_is_written_from_the_top_down(path: list[str | int], written: str) -> None:
    assert location(path) == written


def members_of(value: JsonValue) -> Iterable[tuple[str | int, JsonValue]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def lines_when_pretty(
    value: JsonValue, path: Path = (), line: int = 1
) -> Iterator[tuple[Path, int]]:
    """The line of every value in the text that `json.dumps(value, indent=1)` writes."""
    yield path, line
    for step, child in members_of(value):
        line += 1
        yield from lines_when_pretty(child, (*path, step), line)
        line += json.dumps(child, indent=1).count("\n")


@given(json_values, st.booleans())
def test_every_value_of_a_pretty_document_is_found_on_its_line(
    value: JsonValue, with_bom: bool
) -> None:
    data = (BOM if with_bom else b"") + json.dumps(value, indent=1).encode()
    for path, line in lines_when_pretty(value):
        assert line_of(data, path) == line


@pytest.mark.parametrize(
    ("data", "path", "line"),
    [
        pytest.param(b"\n\n 1", [], 3, id="space before the top"),
        pytest.param(b'{"a"\n:\n1}', ["a"], 3, id="value apart from its key"),
        pytest.param(b'{"\\u0061":\n1}', ["a"], 2, id="escaped key"),
        pytest.param(b"[%s,\n1]" % (b"9" * 5000), [1], 2, id="after a very long integer"),
        pytest.param(b"[1,\n2", [1], 2, id="broken only after the value"),
        pytest.param(b'{"a": 1}', ["b"], None, id="no such key"),
        pytest.param(b"{}", ["a"], None, id="empty object"),
        pytest.param(b"[1]", [1], None, id="no such index"),
        pytest.param(b"[]", [0], None, id="empty array"),
        pytest.param(b"[1]", [-1], None, id="negative index"),
        pytest.param(b"[1]", ["0"], None, id="key into an array"),
        pytest.param(b'{"0": 1}', [0], None, id="index into an object"),
        pytest.param(b"1", ["a"], None, id="key into a number"),
        pytest.param(b"", [], None, id="empty text"),
        pytest.param(b"[1", [], None, id="value itself is cut off"),
        pytest.param(b'{"b" 1, "a": 2}', ["a"], None, id="broken before the value"),
        pytest.param(b"\xff", [], None, id="not UTF-8"),
        pytest.param(b"[" * 100_000, [], None, id="far too deep"),
    ],
)
def test_a_value_has_a_line_only_where_it_can_be_read(
    data: bytes, path: list[str | int], line: int | None
) -> None:
    assert line_of(data, path) == line
