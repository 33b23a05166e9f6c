"""Switching units: what was asked for is what records, in few words, and one step of history each."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.config.unit_tree import GENERATIONS, unit_tree
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel
from hlprof_gui.viewmodels.unit_switches import Count, Share, UnitSwitches

GROUPS = [(g, group.name) for g in GENERATIONS for group in unit_tree(g).groups if group.units]


def make() -> tuple[ConfigurationViewModel, UnitSwitches]:
    model = ConfigurationViewModel(Path("none.json"))
    return model, UnitSwitches(model)


def test_counts_of_the_defaults() -> None:
    _, switches = make()
    assert switches.count("gaudi2", "TPC") == Count(25, 25)
    assert switches.count("gaudi2", "NIC") == Count(0, 24)
    assert switches.count("gaudi2", "FW_events") == Count(0, 1)
    assert switches.count("gaudi3", "CS") == Count(1, 1)
    assert switches.total("gaudi").text == "28 of 38 on"
    assert all(switches.is_default(g, name) for g, name in GROUPS)
    assert (Count(0, 3).share, Count(1, 3).share, Count(3, 3).share) == (Share.NONE, Share.SOME, Share.ALL)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_exactly_the_chosen_units_record_whatever_was_before(data: st.DataObject) -> None:
    model, switches = make()
    generation, group = data.draw(st.sampled_from(GROUPS))
    units = unit_tree(generation).group(group).units  # type: ignore[union-attr]
    choices = st.sets(st.sampled_from(units))
    for _ in range(3):
        act = data.draw(st.sampled_from(["set", "switch", "one", "all"]))
        if act == "set":
            wanted = data.draw(choices)
            switches.set_units(generation, group, wanted)
            assert switches.on_units(generation, group) == wanted
        elif act == "switch":
            before = switches.on_units(generation, group)
            on = data.draw(st.booleans())
            switches.switch_group(generation, group, on)
            now = switches.on_units(generation, group)
            assert bool(now) == on
            assert not on or not before or now == before
        elif act == "one":
            unit, on = data.draw(st.sampled_from(units)), data.draw(st.booleans())
            before = switches.on_units(generation, group)
            switches.set_unit(generation, group, unit, on)
            assert switches.on_units(generation, group) == (before | {unit} if on else before - {unit})
        else:
            on = data.draw(st.booleans())
            switches.set_group(generation, group, on)
            assert switches.on_units(generation, group) == (frozenset(units) if on else frozenset())
        assert not model.problems
    others = [(g, name) for g, name in GROUPS if (g, name) != (generation, group)]
    assert all(switches.is_default(*other) for other in others)


def test_a_class_that_comes_back_is_as_it_was() -> None:
    _, switches = make()
    switches.set_units("gaudi2", "TPC", {"DCORE0_TPC1_EML"})
    switches.switch_group("gaudi2", "TPC", False)
    assert switches.count("gaudi2", "TPC").on == 0
    switches.switch_group("gaudi2", "TPC", True)
    assert switches.on_units("gaudi2", "TPC") == {"DCORE0_TPC1_EML"}


def test_a_unit_on_by_name_goes_off_with_its_class() -> None:
    model, switches = make()
    model.set("units.gaudi.NIC.NIC0_0", True)
    assert switches.on_units("gaudi", "NIC") == {"NIC0_0"}
    switches.switch_group("gaudi", "NIC", False)
    assert switches.count("gaudi", "NIC").on == 0


def test_a_class_with_every_unit_off_comes_back_whole() -> None:
    model, switches = make()
    for unit in unit_tree("gaudi").group("DMA").units:  # type: ignore[union-attr]
        model.set(f"units.gaudi.DMA.{unit}", False)
    switches.switch_group("gaudi", "DMA", True)
    assert switches.count("gaudi", "DMA") == Count(8, 8)


@pytest.mark.parametrize(
    "act",
    [
        lambda s: s.set_generation("gaudi3", False),
        lambda s: s.set_group("gaudi3", "MME", False),
        lambda s: s.set_units("gaudi3", "TPC", {"HD0_TPC0_EML"}),
        lambda s: s.switch_group("gaudi3", "ROT", True),
    ],
)
def test_each_switch_is_one_step_and_the_default_is_the_way_back(act: Callable[[UnitSwitches], None]) -> None:
    model, switches = make()
    before = model.json_text
    act(switches)
    assert model.json_text != before
    model.undo()
    assert model.json_text == before
    assert not model.undo_title
    act(switches)
    switches.reset_generation("gaudi3")
    assert model.json_text == before


def test_a_stored_value_that_cannot_be_read_counts_as_the_default() -> None:
    model, switches = make()
    units = {"gaudi": {"TPC": {"enable": {"value": "perhaps"}}}}
    model.set_json(json.dumps({"Plugins": [{"name": "HwTrace", "values": {"archProfileUnits": units}}]}))
    assert model.problems
    assert switches.count("gaudi", "TPC") == Count(8, 8)
    switches.switch_group("gaudi", "TPC", False)
    assert switches.count("gaudi", "TPC").on == 0
    assert not model.problems


def test_all_and_none_leave_few_words() -> None:
    model, switches = make()
    switches.set_group("gaudi2", "TPC", False)
    switches.set_group("gaudi2", "TPC", True)
    assert model.is_untouched
    switches.set_group("gaudi2", "NIC", True)
    assert [entry.id for entry, _ in model.differences] == ["units.gaudi2.NIC"]
