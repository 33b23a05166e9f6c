"""Rules that arrange rows."""

from __future__ import annotations

import pytest

from hlprof_core.errors import UsageError
from hlprof_gui.dialogs.row_layouts import FIRST_LAYOUTS
from hlprof_gui.state.groups import groups_of
from hlprof_gui.state.row_rules import ACTIONS, arrange_by, parse_rules
from tests.rank_trace import rank_trace
from tests.small_trace import small_trace

TRACE = small_trace()


def engines(tracks) -> set[str]:
    return {TRACE.tracks[t].engine for t in tracks}


def test_every_action_does_something() -> None:
    pinned, _ = arrange_by(parse_rules("pin engine:mme"), TRACE)
    assert engines(pinned.pinned) == {"MME"}
    hidden, _ = arrange_by(parse_rules("hide engine:TPC"), TRACE)
    assert engines(hidden.hidden) == {"TPC"}
    only, _ = arrange_by(parse_rules("only engine:TPC"), TRACE)
    assert engines(set(range(len(TRACE.tracks))) - only.hidden) == {"TPC"}
    last = len(TRACE.processes) - 1
    name = TRACE.processes[last].name
    first, _ = arrange_by(parse_rules(f"first process:{name}"), TRACE)
    assert first.groups[0] == last
    back, _ = arrange_by(parse_rules(f"first process:{name}\nlast process:{name}"), TRACE)
    assert back.groups[-1] == last
    _, folded = arrange_by(parse_rules("fold engine:M*"), TRACE)
    assert {TRACE.processes[p].name for p in folded} == {"MME"}
    tall, _ = arrange_by(parse_rules("taller engine:MME\nsmaller engine:TPC"), TRACE)
    assert sorted(size for _, size in tall.sizes) == [0.6, 1.6]
    assert len(ACTIONS) == 9


def test_rules_group_all_rows_wherever_they_say_so() -> None:
    trace = rank_trace()
    engines = groups_of(trace, "engine")
    arrangement, folded = arrange_by(parse_rules("fold engine:HOST\nfirst engine:TPC\ngroup by Engine"), trace)
    assert arrangement.group_by == "engine"
    assert [engines.title(g) for g in folded] == ["Host"]
    assert engines.title(arrangement.groups[0]) == "TPC"
    assert set(arrangement.groups) <= set(engines.numbers)
    assert arrange_by(parse_rules("group rank\nfold rank:2"), trace)[1] == {groups_of(trace, "rank").numbers[2]}
    assert arrange_by(parse_rules("fold process:MME"), trace)[1] == {0, 3, 6}


def test_patterns_join_and_names_may_have_blanks() -> None:
    rules = parse_rules("  pin thread:MME 0 engine:MME  # remark\n\n# only a remark\n")
    assert rules[0].patterns == (("thread", "MME 0"), ("engine", "MME"))
    assert len(rules) == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [("pni engine:MME", "did you mean pin"), ("\npin", "Line 2"), ("pin engin:MME", "did you mean engine"), ("pin MME", "field:pattern"),
     ("group by engin", "did you mean engine"), ("group", "Line 1")],
)
def test_what_is_no_rule_is_told(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_rules(text)


@pytest.mark.parametrize("name", FIRST_LAYOUTS)
def test_the_first_layouts_are_rules(name: str) -> None:
    assert parse_rules(FIRST_LAYOUTS[name])
