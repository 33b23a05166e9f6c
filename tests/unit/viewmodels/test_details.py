"""Details: every fact, exact to the nanosecond."""

from __future__ import annotations

import json

from hlprof_gui.state.neighbours import children
from hlprof_gui.state.view_state import Edge, Item, Measure
from hlprof_gui.viewmodels.details import Details, describe, describe_measure, find_argument
from tests.small_trace import START_NS, slice_named, small_trace


def facts(details: Details) -> dict[str, str]:
    return {f.label: f.told for f in details.facts}


def test_a_slice_tells_everything() -> None:
    trace = small_trace(base_ns=1_700_000_000_000_000_000)
    details = describe(trace, Item("slice", slice_named(trace, "fc1/forward")))
    told = facts(details)
    assert details.title == "fc1/forward"
    assert details.subtitle == "MME 0"
    assert told["Operation"] == "gemm"
    assert told["Data type"] == "bf16"
    assert told["Engine"] == "MME"
    assert told["Start"] == "0 ns"
    assert told["File clock"] == "1\u202f000\u202f000\u202f000 ns"
    assert told["Wall clock"] == "2023-11-14 22:13:21.000000000 UTC"
    assert told["Duration"] == "400 ns"
    assert told["Self time"] == "300 ns · 75.0 %"
    assert told["Inside"] == "fc1/inner"
    assert details.args["Recipe name"] == "train"


def test_an_inner_slice_links_to_the_one_around_it() -> None:
    trace = small_trace()
    details = describe(trace, Item("slice", slice_named(trace, "fc1/inner")))
    link = next(f for f in details.facts if f.label == "Inside of")
    assert (link.value, link.link) == ("fc1/forward", Item("slice", slice_named(trace, "fc1/forward")))
    assert facts(details)["Start"] == "100 ns"


def test_instants_counters_and_rows() -> None:
    trace = small_trace()
    instant = describe(trace, Item("instant", 0))
    assert (instant.title, facts(instant)["Time"], instant.args) == ("mark", "950 ns", {"why": "end"})
    counter = describe(trace, Item("counter", 1))
    assert (counter.title, facts(counter)["Value"], facts(counter)["Most"]) == ("memory", "40", "40")
    row = describe(trace, Item("track", int(trace.slices.track[slice_named(trace, "relu")])))
    assert (row.title, facts(row)["Slices"]) == ("TPC 0", "2")


def test_the_clipboard_gets_json() -> None:
    trace = small_trace()
    copied = json.loads(describe(trace, Item("slice", slice_named(trace, "relu"))).to_json())
    assert copied["name"] == "relu"
    assert copied["Duration"] == "150 ns"
    assert copied["args"]["op"] == "relu_fwd_bf16"


def test_a_measure_names_its_edges() -> None:
    trace = small_trace()
    fc1 = Item("slice", slice_named(trace, "fc1/forward"))
    told = facts(describe_measure(trace, Measure(Edge(START_NS, fc1), Edge(START_NS + 500))))
    assert told == {"Length": "500 ns", "From": "0 ns · edge of fc1/forward", "To": "500 ns"}


def test_arguments_are_found_by_any_spelling() -> None:
    assert find_argument({"Input type": ["float", "float", "int", ""]}, ("dtype", "input type")) == "float, int"
    assert find_argument({"dtype": ""}, ("dtype",)) == ""
    assert find_argument({}, ("dtype",)) == ""


def test_a_row_tells_what_is_on_it() -> None:
    trace = small_trace()

    def told(name: str) -> dict[str, str]:
        track = next(t.id for t in trace.tracks if t.name == name)
        return {fact.label: fact.value for fact in describe(trace, Item("track", track)).facts}

    host, memory = told("MainThread"), told("memory")
    assert (host["Slices"], host["Instants"]) == ("4", "1")
    assert "Series" not in host
    assert (memory["Series"], memory["Samples"]) == ("used", "2")
    assert "Slices" not in memory


def test_copied_facts_are_whole() -> None:
    trace = small_trace()
    main = slice_named(trace, "main")
    copied = json.loads(describe(trace, Item("slice", main)).to_json())
    inner = [trace.name(int(s)) for s in children(trace, main)]
    assert sorted(copied["Inside"]) == sorted(inner)
    assert len(inner) > 1
    assert copied["Self time"].endswith(" %")
    edge = Edge(int(trace.slices.start_ns[main]), Item("slice", main))
    measured = json.loads(describe_measure(trace, Measure(edge, Edge(edge.time_ns + 5))).to_json())
    assert measured["From"].endswith("edge of main")
    assert "" not in copied
