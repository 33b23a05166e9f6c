"""What can be written, what it means, and how mistakes are pointed at."""

from __future__ import annotations

import pytest

from hlprof_core.analysis.filter import FilterEngine, fields, filter_mask, read_filter
from hlprof_core.errors import FilterInvalid, QueryError
from hlprof_core.trace.model import Trace
from tests.small_trace import small_trace


@pytest.fixture(scope="module")
def trace() -> Trace:
    return small_trace()


def chosen(trace: Trace, text: str) -> list[str]:
    return [trace.name(int(i)) for i in filter_mask(trace, text).nonzero()[0]]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", ["fc1/forward", "fc2/forward", "fc1/inner", "relu", "relu", "main", "launch", "launch", "sync"]),
        ("FC1", ["fc1/forward", "fc1/inner"]),
        ("fc1 inner", ["fc1/inner"]),
        ("fc1 -inner", ["fc1/forward"]),
        ("relu or sync", ["relu", "relu", "sync"]),
        ("relu | sync", ["relu", "relu", "sync"]),
        ("engine:MME (inner or fc2)", ["fc2/forward", "fc1/inner"]),
        ("not engine:HOST,TPC dur>=300ns", ["fc1/forward", "fc2/forward"]),
        ("dur > 0.3us", ["fc1/forward", "main"]),
        ("dur:50ns..200ns", ["fc1/inner", "relu", "relu", "launch"]),
        ("start<=100ns dur!=1us", ["fc1/forward", "fc1/inner", "relu", "launch"]),
        ("self:300ns depth=0", ["fc1/forward", "fc2/forward"]),
        ("name=relu", ["relu", "relu"]),
        ("name=fc*ward", ["fc1/forward", "fc2/forward"]),
        ("name:launch,sync", ["launch", "launch", "sync"]),
        ("process:mm depth=1", ["fc1/inner"]),
        ('thread:"tpc 0"', ["relu", "relu"]),
        ("parent:main -name:sync", ["launch", "launch"]),
        ("inside:fc1", ["fc1/inner"]),
        ("is:leaf engine:MME", ["fc2/forward", "fc1/inner"]),
        ("args.dtype=bf16", ["fc1/forward", "fc2/forward"]),
        ("args.op:relu", ["relu", "relu"]),
        ("args.stream>1", ["launch"]),
        ("args.stream:1..1", ["launch"]),
        ("args.op!=gemm engine:MME", ["fc1/inner"]),
        ('args."recipe name"=train', ["fc1/forward"]),
        ("args.shapes.a=3", ["fc1/forward"]),
        ("args:ünïcode", ["relu"]),
        ('args:"shapes"', ["fc1/forward"]),
        ("-args.op=* engine:MME,TPC", []),
        ("args.op=*relu*bf16", ["relu", "relu"]),
        ("name==relu,sync", ["relu", "relu", "sync"]),
        ("name==Relu or thread==MAIN", []),
        ("name==fc*ward", []),
        ("args.dtype==bf16", ["fc1/forward", "fc2/forward"]),
        ("args.dtype==BF16", []),
        ("id:0,8", ["fc1/forward", "sync"]),
        ("aten::mm", []),
        ("rank=-1 cat:gemm", ["fc1/forward"]),
    ],
)
def test_what_passes(trace: Trace, text: str, names: list[str]) -> None:
    assert chosen(trace, text) == names


@pytest.mark.parametrize(
    ("text", "position", "said"),
    [
        ("gemm durr>1ms", 5, "No field 'durr'. Did you mean dur?"),
        ("dur>fast", 4, "'fast' is no time. Write a time: 250us, 1.5ms, 1ms..2ms."),
        ("dur>5min", 4, "'5min' is no time. Units are ns, us, ms and s"),
        ("engine:MMX", 7, "No engine 'MMX'. Did you mean MME?"),
        ("name>5", 4, "'name' cannot be compared with '>'. It takes :, =, ==, !=."),
        ("dur==5", 3, "'dur' cannot be compared with '=='. It takes :, =, !=, <"),
        ("depth:1.5", 6, "'1.5' is no whole number."),
        ("dur:2ms..1ms", 4, "ends before it begins. Write 1ms..2ms."),
        ('a "b', 2, "This quote is never closed."),
        ("(a or b", 0, "This '(' is never closed."),
        ("a) b", 1, "There is no '('"),
        ("a or", 4, "Something is missing here."),
        ("or a", 0, "Something is missing before 'or'."),
        ("cat:", 4, "A value is missing after 'cat:'."),
        ("dur>99999999999999999999s", 4, "is too large."),
        ("args>5", 4, "Which argument? Write args.KEY"),
        ("args.M>big", 7, "'big' is no number."),
        ("name.x:5", 4, "'name' has no key 'x'."),
        ("(" * 300, 100, "signs are nested"),
    ],
)
def test_mistakes_are_pointed_at(text: str, position: int, said: str) -> None:
    with pytest.raises(FilterInvalid) as caught:
        read_filter(text)
    assert isinstance(caught.value, QueryError)
    assert caught.value.position == position
    assert said in str(caught.value)
    assert f"column {position + 1}" in caught.value.message


@pytest.mark.parametrize("field", fields, ids=lambda f: f.name)
def test_each_field_has_a_working_example(trace: Trace, field) -> None:  # type: ignore[no-untyped-def]
    wanted = read_filter(field.example)
    assert [leaf.field for leaf in wanted.leaves] == [field.name]
    assert len(FilterEngine(trace).mask(wanted)) == len(trace.slices)
    assert field.help.endswith(".")


def test_words_search_arguments_too_when_wanted(trace: Trace) -> None:
    wanted = read_filter("part", words_in_args=True)
    assert FilterEngine(trace).mask(wanted).nonzero()[0].tolist() == [2]
    assert not read_filter("part").needs_args
    assert wanted.needs_args
