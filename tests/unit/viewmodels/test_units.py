"""Which generations the page of units shows."""

from __future__ import annotations

from pathlib import Path

from hlprof_gui.viewmodels.configuration import ConfigurationViewModel
from hlprof_gui.viewmodels.units import UnitsViewModel


def test_only_the_target_or_all() -> None:
    model = ConfigurationViewModel(Path("none.json"))
    units = UnitsViewModel(model)
    assert units.generations == ("gaudi", "gaudi2", "gaudi3")
    assert units.summary == "All generations: 213 of 271 on"
    model.set("hw.arch", "gaudi3")
    assert units.generations == ("gaudi3",)
    assert units.lists == []
    assert units.summary == "Gaudi 3: 117 of 137 on"
    units.shows_all = True
    assert len(units.generations) == 3
    assert units.lists
    units.switch_tracing(False)
    assert units.summary == "The hardware trace is off: no unit records."


def test_buttons_act_on_a_group_or_a_generation() -> None:
    model = ConfigurationViewModel(Path("none.json"))
    units = UnitsViewModel(model)
    units.switch("gaudi", "NIC", True)
    assert units.switches.count("gaudi", "NIC").on == 10
    units.switch("gaudi", "", False)
    assert units.switches.total("gaudi").on == 0
    units.reset("gaudi", "TPC")
    assert units.switches.total("gaudi").on == 8
    units.reset("gaudi", "")
    assert model.is_untouched
