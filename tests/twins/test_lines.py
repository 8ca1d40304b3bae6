"""The compiled parser, order and matching against plain Python, on random and on hostile bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tauscope.core import kernels, lines

pytestmark = [
    pytest.mark.both,
    pytest.mark.skipif(kernels.compiled is None, reason="there are no compiled kernels to compare with"),
]

NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.sampled_from(
        [
            "0",
            "-0",
            "+1.",
            ".5",
            "-.5e-3",
            "1e22",
            "1e23",
            "9007199254740993",
            "4.9e-324",
            "2e-324",
            "1e-400",
            "0.1000000000000000055511151231257827",
            "1.7976931348623157e308",
            "1e308",
            "8.5e-45",
            "1e400",
            "123456789012345678901234567890",
            "1e99999999999999999999",
            "0e99999",
            "nan",
            "inf",
            "-inf",
            "1_0",
            "0x10",
            "",
            "-",
            ".",
            "e5",
            "1e",
            "1e+",
            "1,5",
            "٣",
            "1.5.2",
            "--1",
            "00012",
            "1e-05",
            "2147483647",
            "2147483648",
        ]
    ),
)
TOKENS = st.sampled_from(
    ["1", "2", "#", "#1", "401", "d1", "d2", "FBIS3-1", "é", "clueweb09-en0000-00-00", "\x00", "Q0", "tag"]
)
SPACE = st.sampled_from([" ", "\t", "  ", " \t", "\x0b", "\x0c", "\r"])
END = st.sampled_from(["\n", "\r\n", "\n\n", " \n", "\n \n"])


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """Lines that are mostly right, for a run or for qrels."""
    columns = draw(st.sampled_from([6, 4]))
    kind = draw(st.sampled_from(["good", "mixed"]))
    written = []
    for number in range(draw(st.integers(0, 12))):
        line = [draw(st.sampled_from(["1", "2", "7"])), "Q0", draw(TOKENS) if kind == "mixed" else f"d{number}"]
        line += [str(number), draw(NUMBERS), "tag"] if columns == 6 else [draw(NUMBERS | st.integers(-3, 9).map(str))]
        if kind == "mixed" and not draw(st.integers(0, 15)):
            line[draw(st.integers(0, len(line) - 1))] = draw(TOKENS)
        if kind == "mixed" and not draw(st.integers(0, 25)):
            line.append(draw(TOKENS))
        written.append(draw(SPACE).join(line) + draw(END))
    return "".join(written).encode()


def _same(data: bytes, layout: lines.Layout) -> lines.Table:
    native, plain = kernels.parse_lines(data, layout), lines.parse(data, layout)
    assert (native.fault, native.fault_at) == (plain.fault, plain.fault_at)
    assert (native.topics, native.documents, native.tag) == (plain.topics, plain.documents, plain.tag)
    for mine, theirs in ((native.offsets, plain.offsets), (native.starts, plain.starts)):
        assert mine.tolist() == theirs.tolist()
    assert native.values.tobytes() == plain.values.tobytes(), "numbers must agree to the last bit, and in their sign"
    return plain


@settings(max_examples=600, deadline=None)
@given(texts())
@example(b"1 Q0 a 1 1e-400 t\n1 Q0 b 2 x t\n")
@example(b"1 Q0 a 1 1e400 t\n1 Q0 b 2 x t\n")
@example(b"1 Q0 a 1 1e400 t\n1 Q0 a 2 1 t\n")
@example(b"1 Q0 a 1 1 t\n1 Q0 b 2 1e400 u\n")
@example(b"# a comment\n1 Q0 a 1 1 t and more\n #1 0 x 1\n1 Q0 b c 1 1 t\n")
@example(b"1 Q0 a 1 1 t 7 8 9\n1 Q0 b 99999999999 1 t x\n")
@example(b"#\n1 0 a 1\n# 0 b 1\n1 0 b 1 5\n")
@example(b"2 0 a 1\n1 0 a 1\n2 0 b 0\n1 0 b 0\n2 0 a 3")
def test_both_parsers_give_the_same_tables_and_the_same_first_bad_line(data):
    _same(data, lines.RUN)
    _same(data, lines.QRELS)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_both_parsers_agree_on_any_bytes(data):
    _same(data, lines.RUN)
    _same(data, lines.QRELS)


@settings(max_examples=300, deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=10))
def test_both_parsers_read_the_same_numbers(numbers):
    rows = [f"1 Q0 d{i} 1 {number} t" for i, number in enumerate(numbers) if number]
    _same("\n".join(rows).encode(), lines.RUN)
    _same("\n".join(f"1 0 d{i} {number}" for i, number in enumerate(numbers)).encode(), lines.QRELS)


@settings(max_examples=200, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_is_read_back_exactly(value):
    table = kernels.parse_lines(f"1 Q0 d 1 {value!r} t".encode(), lines.RUN)
    assert table.values.tobytes() == np.array([value]).tobytes()


IDS = st.lists(st.text(alphabet="ab0é", max_size=20), unique=True, max_size=30)


@settings(max_examples=200, deadline=None)
@given(st.lists(IDS, min_size=1, max_size=4), st.lists(IDS, min_size=4, max_size=4), st.data())
def test_order_and_matching_agree_with_plain_python(run, pool, data):
    text, starts = lines.join(document.encode() for ids in run for document in ids)
    offsets = np.cumsum([0, *map(len, run)], dtype=np.int64)
    scores = np.array(
        data.draw(st.lists(st.sampled_from([-0.0, 0.0, 1.0, 2.5]), min_size=len(starts) - 1, max_size=len(starts) - 1)),
        dtype=np.float64,
    )
    judged, judged_starts = lines.join(document.encode() for ids in pool for document in ids)
    judged_offsets = np.cumsum([0, *map(len, pool)], dtype=np.int64)
    topic_of = np.array(data.draw(st.permutations([0, 1, 2, 3, -1]))[: len(run)], dtype=np.int64)
    depth = data.draw(st.sampled_from([1, 3, 1000]))
    index = kernels.judgment_index(judged, judged_starts, judged_offsets)
    for input_order in (True, False):
        native = kernels.order_documents(text, starts, scores, offsets, input_order=input_order)
        plain = lines.order(text, starts, scores, offsets, input_order=input_order)
        assert native.tolist() == plain.tolist()
        found = kernels.judged_documents(text, starts, offsets, native, topic_of, depth, index)
        tables = lines.index(judged, judged_starts, judged_offsets)
        expected = lines.judged(text, starts, offsets, plain, topic_of, depth, tables)
        for mine, theirs in zip(found, expected, strict=True):
            assert (mine.dtype, mine.tolist()) == (theirs.dtype, theirs.tolist())


def test_an_index_made_by_the_compiled_kernels_still_works_without_them(monkeypatch):
    text, starts = lines.join([b"a", b"b"])
    offsets, zero = np.array([0, 2]), np.array([0])
    index = kernels.judgment_index(text, starts, offsets)
    native = kernels.judged_documents(text, starts, offsets, np.array([1, 0]), zero, 9, index)
    monkeypatch.setattr(kernels, "compiled", None)
    plain = kernels.judged_documents(text, starts, offsets, np.array([1, 0]), zero, 9, index)
    assert [column.tolist() for column in native] == [column.tolist() for column in plain] == [[0, 0], [0, 1], [1, 0]]


def test_ten_thousand_documents_of_one_topic_are_matched_and_a_duplicate_at_the_end_is_found():
    rows = [f"1 Q0 doc{i * 7919 % 10_000:05d} {i} {i % 13} t" for i in range(10_000)]
    table = _same("\n".join(rows).encode(), lines.RUN)
    assert len(table.values) == 10_000
    twice = "\n".join([*rows, rows[1234]]).encode()
    assert _same(twice, lines.RUN).fault == lines.Fault.DUPLICATE
    assert twice[lines.parse(twice, lines.RUN).fault_at :].decode() == rows[1234]


@pytest.mark.parametrize(
    "text",
    [
        *("0.1,0.2,3\n", "1e-3,-4,+.5\r\n", "1,2,3", "0.30000000000000004,1e22,123456789012345678901234567890"),
        *(
            "1,2",
            "1,2,3,4",
            "1,,3",
            "1,2,",
            "1,x,3",
            "1,nan,3",
            "1,inf,3",
            "1_0,2,3",
            " 1,2,3",
            "1e999,2,3",
            "1e-999,0,3",
            "",
        ),
        *('1,"2",3', "1;2;3", "1.,2,3", ".,2,3", "1e,2,3", "0x1,2,3", "-0,0.0,00"),
    ],
)
def test_a_row_of_numbers_is_the_same_read_by_either(text):
    native, plain = np.full(3, np.nan), np.full(3, np.nan)
    found = kernels.read_row(text, ",", native)
    assert found == lines.row(text, ",", plain)
    if found:
        assert native.tobytes() == plain.tobytes()
