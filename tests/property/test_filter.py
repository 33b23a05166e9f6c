"""Filters over columns and bytes choose the same slices as the slow, plain reading of the same tree."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.analysis.argument_values import argument_values
from hlprof_core.analysis.filter import FilterEngine, fields, language, question, read_filter
from hlprof_core.analysis.filter.condition import find_key, text_of
from hlprof_core.analysis.group_label import label_of
from hlprof_core.analysis.statistics import GROUPINGS, group_keys
from hlprof_core.levels import args_blocks
from hlprof_core.progress import Progress
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace
from hlprof_gui.viewmodels.statistics import filter_of
from tests.property.filter_twin import passes

NAMES = ("gemm", "Gemm", "Gemm_fwd", "relu", "aten::mm", "a b", "straße", "or", "", "g*m", 'f("x\\y")')
TEXTS = (
    *("bf16", "BF16", "f32", "16", "1e3", "aten::mm", "Straße", 'a "b"', "a,b", "true", "x/y"),
    *("", "b*6", "[]", '["16"]', "a\nb", "\\"),  # that are easily taken for something else
)
KEYS = ("dtype", "M", "op.kind", "Op", "HW event name")
NEEDING_QUOTES = ("M (end)", "HW event name", "hw end event name")
SCALARS = st.one_of(st.sampled_from(TEXTS), st.integers(-20, 20), st.booleans(), st.none(), st.sampled_from([0.5, 16.0, 1e3]))
WRITTEN = st.sampled_from((
    b'{"dtype": "bf16", "M": 1.60e1}', b'{"dtype":"x\\/y","op":{"kind":"B\\u0066" }}', b'{"M":0x10}', b'{"M":NaN,"dtype":null}',
    b'{"M" : [16, 16]}', b'{"M":1,"M":"16"}', b'{"m":16,"M":0}', b'{"op.kind":"b16","op":{"kind":"a"}}', b'[16,"bf16"]', b'"bf16"',
    b'{"dtype":"bf16"', b'{"dtype":"a\\nb"}', '{"dtype":"Straße","é":16}'.encode(), b'{"M":100000000000000000000}', b'{"M":-0}',
    b'{"M":"0x10","dtype":" 16 "}', b'{"M":1000.0,"dtype":true}',
))  # fmt: skip
"""Arguments as writers other than ours may write them."""
DICTIONARIES = st.dictionaries(
    st.sampled_from(KEYS), st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(st.sampled_from(KEYS), SCALARS, max_size=2))
)
ARGS: st.SearchStrategy[Any] = st.one_of(DICTIONARIES, WRITTEN)


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """A few rows of nested slices, some with arguments, some of those with more at their end."""
    build = TraceBuilder()
    for track, (process, thread) in enumerate((("MME", "MME 0"), ("host", "main"), ("**DMA", ""))):
        build.process(process, process)
        build.thread(process, track, thread)
        at = 1000
        for _ in range(draw(st.integers(0, 4))):
            dur = draw(st.integers(1, 40))
            name, args = draw(st.sampled_from(NAMES)), draw(st.one_of(st.none(), ARGS))
            build.slice(process, track, at, dur, name, cat=draw(st.sampled_from(("host", "Device", ""))), args=args)
            if dur > 4 and draw(st.booleans()):
                build.begin(process, track, at + 1, draw(st.sampled_from(NAMES)), args=draw(ARGS))
                build.end(process, track, at + 1 + draw(st.integers(0, dur - 3)), args=draw(st.one_of(st.none(), ARGS)))
            at += dur + draw(st.integers(0, 9))
    return build.finish(Origin("drawing"))


def _values(kind: str, choices: tuple[str, ...]) -> st.SearchStrategy[str]:
    number = st.integers(-3, 60).map(str)
    if kind == "choice":
        return st.sampled_from(choices)
    if kind == "number":
        return st.one_of(number, st.tuples(number, st.integers(60, 70)).map(lambda r: f"{r[0]}..{r[1]}"))
    if kind == "time":
        return st.one_of(number, st.sampled_from(("5ns", "0.01us", "..20ns", "1..1us", "10ns..")))
    texts = ("gemm", "mm", "*mm*", "re*u", "MME*", "0", "host", "ss", "a b", "", "main", "**DMA", "thread 2")
    return st.sampled_from(texts).map(json.dumps)


@st.composite
def terms(draw: st.DrawFn) -> str:
    field = draw(st.sampled_from([f for f in fields if f.kind != "args"]))
    if field.kind in ("number", "time"):
        op = draw(st.sampled_from((":", "=", "!=", "<", "<=", ">", ">=")))
    else:
        op = draw(st.sampled_from((":", "=", "==", "!=") if field.kind == "text" else (":", "=", "!=")))
    values = [draw(_values(field.kind, field.choices)) for _ in range(draw(st.integers(1, 2)))]
    if op[0] in "<>":
        values = [v if ".." not in v else "7" for v in values]
    return f"{field.name}{op}{','.join(values)}"


@st.composite
def argument_terms(draw: st.DrawFn) -> str:
    texts = (
        *("bf16", "b", "16", "STRASSE", "straße", "aten::mm", "1000", "true", "a", ",", "op", "null", "M", "x/y", "*16"),
        *("*", "", "[]", "{}", "[16]", '["BF16"]'),  # of whole values, and whether there is one
        *("end", "e (e", "HW end"),  # of names that only the merging gives
    )
    text = st.sampled_from(texts).map(json.dumps)
    if draw(st.booleans()):
        return f"args:{draw(text)}"
    key = draw(st.sampled_from(("dtype", "DTYPE", "M", "op.kind", "op", "Op.M", "missing", *NEEDING_QUOTES)))
    op = draw(st.sampled_from((":", "=", "==", "!=", "<", ">=")))
    value = draw(st.integers(-20, 20).map(str)) if op[0] in "<>" else draw(text)
    return f"args.{json.dumps(key) if key in NEEDING_QUOTES else key}{op}{value}"


def filters(leaf: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    words = st.sampled_from(("gemm", "MM", '"a b"', "ss"))
    return st.recursive(
        st.one_of(leaf, words),
        lambda inner: st.one_of(
            inner.map(lambda t: f"-({t})"), inner.map(lambda t: f"not ({t})"), st.tuples(inner, inner).map(lambda p: f"({p[0]}) {p[1]}"),
            st.tuples(inner, inner).map(lambda p: f"({p[0]} or {p[1]})"), st.tuples(inner, inner).map(lambda p: f"{p[0]} and ({p[1]})"),
        ),
        max_leaves=5,
    )  # fmt: skip


def _check(trace: Trace, text: str) -> None:
    found = FilterEngine(trace).mask(read_filter(text))
    tree = language.parse(text, fields.names())
    assert found.tolist() == [passes(trace, tree, i) for i in range(len(trace.slices))], text


@given(traces(), filters(terms()))
@settings(max_examples=100, deadline=None)
def test_columns_and_plain_reading_agree(trace: Trace, text: str) -> None:
    _check(trace, text)


@given(traces(), filters(st.one_of(argument_terms(), argument_terms(), terms())))
@settings(max_examples=100, deadline=None)
def test_bytes_of_arguments_and_their_values_agree(trace: Trace, text: str) -> None:
    _check(trace, text)


@given(traces(), argument_terms())
@settings(max_examples=60, deadline=None)
def test_many_blocks_and_literals_that_are_everywhere(trace: Trace, text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(args_blocks, "ROWS", 2)
        patch.setattr(question, "ENOUGH", 0)
        _check(trace, text)


@given(st.text(alphabet='abname:=<>()-"\\ .,|*1msor', max_size=30))
@settings(max_examples=100, deadline=None)
def test_any_text_is_understood_or_refused_with_a_place(text: str) -> None:
    from hlprof_core.errors import FilterInvalid

    refused: FilterInvalid | None = None
    try:
        read_filter(text)
    except FilterInvalid as error:
        refused = error
    assert refused is None or 0 <= refused.position <= refused.position + refused.length <= len(text)


@given(st.text(max_size=20))
@settings(max_examples=100, deadline=None)
def test_a_quoted_text_is_one_word_again(text: str) -> None:
    if text:
        tree = language.parse(language.quote(text))
        assert isinstance(tree, language.Word)
        assert tree.text == text
        term: Any = language.parse(f"name={language.quote(text)}")
        assert [v.text for v in term.values] == [text]


def test_masks_are_those_of_all_slices() -> None:
    build = TraceBuilder()
    assert FilterEngine(build.finish(Origin("drawing"))).mask(read_filter("a or args.x=1")).tolist() == []
    assert np.asarray(read_filter("").rule) == np.asarray(None)


@given(traces(), st.sampled_from(("dtype", "DTYPE", "M", "op.kind", "op", "missing", *NEEDING_QUOTES)))
@settings(max_examples=150, deadline=None)
def test_values_of_an_argument_are_those_of_the_merged_arguments(trace: Trace, key: str) -> None:
    rows = np.arange(len(trace.slices), dtype=np.int64)
    places, labels = argument_values(trace, rows, key, Progress())
    values = [[text_of(value) for value in find_key(trace.args(row), key)] for row in rows.tolist()]
    wanted = [label_of(next(filter(None, texts), "")) for texts in values]
    assert [labels[place] for place in places.tolist()] == wanted


def test_what_the_end_says_otherwise_hides_a_beginning_of_that_name() -> None:
    build = TraceBuilder()
    build.begin("p", "t", 0, "a", args={"M": 1, "M (end)": "of the beginning"})
    build.end("p", "t", 9, args={"M": 2})
    trace = build.finish(Origin("drawing"))
    assert trace.args(0)["M (end)"] == 2
    for text, is_found in (('args."M (end)"=2', True), ('args."M (end)"==2', True), ('args."M (end)":beginning', False)):
        assert FilterEngine(trace).mask(read_filter(text)).tolist() == [is_found], text


GROUPED = (*GROUPINGS, *(f"args.{key}" for key in ("dtype", "DTYPE", "M", "op.kind", "op", "missing", *NEEDING_QUOTES)))


@given(traces(), st.sampled_from(GROUPED), st.booleans())
@settings(max_examples=300, deadline=None)
def test_the_filter_of_a_group_finds_its_slices_and_no_others(trace: Trace, by: str, are_many_blocks: bool) -> None:
    keys, labels = group_keys(trace, np.arange(len(trace.slices), dtype=np.int64), by, Progress())
    with pytest.MonkeyPatch.context() as patch:
        if are_many_blocks:
            patch.setattr(args_blocks, "ROWS", 2)
            patch.setattr(question, "ENOUGH", 0)
        engine = FilterEngine(trace)
        for place in np.unique(keys).tolist():
            text = filter_of(by, labels[place])
            assert engine.mask(read_filter(text)).tolist() == (keys == place).tolist(), text
            tree = language.parse(text, fields.names())
            assert [passes(trace, tree, i) for i in range(len(trace.slices))] == (keys == place).tolist(), text
