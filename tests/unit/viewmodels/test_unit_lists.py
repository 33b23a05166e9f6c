"""Lists of monitors and counters: form and text are the same thing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from hlprof_core.config.bracket_list import MEASUREMENTS, parse_bmon, parse_spmu
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel
from hlprof_gui.viewmodels.unit_lists import BusMonitors, Counters, UnitListViewModel, unit_lists, words_of

NUMBER = st.integers(0, 99)


@given(
    st.sets(NUMBER, max_size=4),
    st.sets(st.sampled_from(MEASUREMENTS)),
    st.lists(NUMBER.map(str), max_size=3),
    st.lists(st.from_regex(r"0x[0-9a-f]{1,8}", fullmatch=True), max_size=3),
)
def test_forms_of_monitors_survive_their_text(monitors: set[int], measures: set[str], windows: list[str], filters: list[str]) -> None:
    form = BusMonitors(tuple(sorted(monitors)), tuple(m for m in MEASUREMENTS if m in measures), tuple(windows), tuple(filters))
    assert parse_bmon(form.text) == form.text
    assert BusMonitors.read(form.text) == form


@given(st.lists(NUMBER, unique=True, max_size=6), st.integers(1, 1 << 20), st.booleans())
def test_forms_of_counters_survive_their_text(events: list[int], cycles: int, clears: bool) -> None:
    form = Counters(tuple(events), cycles, clears)
    assert parse_spmu(form.text) == form.text
    assert Counters.read(form.text) == form


@pytest.fixture
def model() -> ConfigurationViewModel:
    return ConfigurationViewModel(Path("none.json"))


def entry(model: ConfigurationViewModel, flag: str) -> UnitListViewModel:
    return next(one for one in unit_lists(model, ("gaudi2",)) if one.entry.flag == flag)


def test_lists_of_the_generations(model: ConfigurationViewModel) -> None:
    assert unit_lists(model, ("gaudi", "gaudi3")) == []
    flags = [one.entry.flag for one in unit_lists(model, ("gaudi2",))]
    assert flags[0] == "tpc_bmon"
    assert "mme_acc_spmu" in flags


def test_monitors_are_switched_edited_and_taken_away(model: ConfigurationViewModel) -> None:
    bmon = entry(model, "tpc_bmon")
    assert (bmon.is_set, bmon.text) == (False, "")
    assert "Not set" in bmon.summary
    bmon.switch(True)
    assert bmon.text == "[[0][bw,lat,out][512,256][]]"
    assert bmon.set_monitors(replace(bmon.monitors, monitors=(1, 0), measurements=("out", "bw"))) == ""
    assert bmon.text == "[[0,1][bw,out][512,256][]]"
    assert bmon.summary == "Measures bandwidth, outstanding requests with monitors 0, 1 of each unit."
    assert "not a window" in bmon.set_monitors(replace(bmon.monitors, windows=("x",)))
    assert bmon.text == "[[0,1][bw,out][512,256][]]"
    bmon.switch(False)
    assert model.is_untouched


def test_events_are_known_by_name_and_at_most_six_are_counted(model: ConfigurationViewModel) -> None:
    spmu = entry(model, "tpc_spmu")
    assert spmu.event(57) is not None
    assert "store tensor" in spmu.event(57).doc  # type: ignore[union-attr]
    assert spmu.event(4711) is None
    spmu.switch(True)
    assert spmu.counters.events == (0,)
    for number in (57, 65, 71, 72, 74, 75, 57):
        spmu.choose_event(number, True)
    assert spmu.text == "[[0,57,65,71,72,74][2048,on]]"
    assert spmu.summary == "6 of 6 counters, read every 2,048 cycles, then cleared."
    spmu.choose_event(0, False)
    spmu.choose_event(75, True)
    assert spmu.counters.events == (57, 65, 71, 72, 74, 75)
    assert spmu.type_events("1 2, 3") == ""
    assert spmu.counters.events == (1, 2, 3)
    assert "'x' is not an event id" in spmu.type_events("1, x")
    assert "'²' is not an event id" in spmu.type_events("²")
    assert "at most 6" in spmu.type_events("1,2,3,4,5,6,7")
    assert spmu.counters.events == (1, 2, 3)


def test_events_without_public_names(model: ConfigurationViewModel) -> None:
    spmu = entry(model, "mme_acc_spmu")
    spmu.switch(True)
    assert (spmu.events, spmu.text) == ((), "[[][2048,on]]")


def test_the_text_form(model: ConfigurationViewModel) -> None:
    bmon = entry(model, "edma_bmon")
    assert bmon.type_text("[[0, 1] [bw] [2048,1024] []]") == ""
    assert bmon.text == "[[0,1][bw][2048,1024][]]"
    assert "write it like" in bmon.type_text("[[0,1]")
    assert bmon.text == "[[0,1][bw][2048,1024][]]"
    assert bmon.type_text("  ") == ""
    assert not bmon.is_set


def test_words_between_commas_and_blanks() -> None:
    assert words_of(" 512, 256 ,,1 ") == ("512", "256", "1")
    assert words_of("  ") == ()
