"""Phase, range and buffer as the page shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hlprof_core.config.commandline import parse_words
from hlprof_core.config.document import ProfConfig
from hlprof_core.config.request import apply_request
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel
from hlprof_gui.viewmodels.when import WhenViewModel


@pytest.fixture
def model() -> ConfigurationViewModel:
    return ConfigurationViewModel(Path("none.json"))


@pytest.fixture
def when(model: ConfigurationViewModel) -> WhenViewModel:
    return WhenViewModel(model)


@pytest.mark.parametrize("words", [["-p", "enq"], ["-i"], ["-p", "device-acq"]])
def test_a_phase_is_chosen_as_the_command_line_does(model: ConfigurationViewModel, when: WhenViewModel, words: list[str]) -> None:
    typed = ProfConfig()
    assert not apply_request(parse_words(words), typed)
    when.choose_phase(typed.get("hw.phase"))
    assert model.config.raw == typed.raw
    model.undo()
    assert model.is_untouched


@pytest.mark.parametrize(
    ("text", "wrong"),
    [("x", "'x' is not a range"), ("", "no range is given"), ("5-2", "ends before it starts"), ("0", "starts at 1"), ("1-", "not a range")],
)
def test_a_range_that_is_none_changes_nothing(model: ConfigurationViewModel, when: WhenViewModel, text: str, wrong: str) -> None:
    assert wrong in when.type_range(text)
    assert model.is_untouched


def test_typing_a_range_is_one_step(model: ConfigurationViewModel, when: WhenViewModel) -> None:
    for text in ("1", "1-", "1-2", "1-20"):
        when.type_range(text)
    assert str(when.range) == "1-20"
    assert not when.has_default_range
    model.undo()
    assert model.is_untouched
    when.type_range("11-15, 1-5")
    assert str(when.range) == "1-5,11-15"
    when.reset_range()
    assert when.has_default_range


def test_dragging_is_one_step_and_the_picture_holds_still(model: ConfigurationViewModel, when: WhenViewModel) -> None:
    count = when.count
    when.start_drag(3, adds=False, reach=-1)
    for at in (3, 7, 12, 400):
        when.drag_to(at)
        assert when.count == count
    assert str(when.range) == f"3-{count}"
    when.end_drag()
    assert when.count > count
    when.drag_to(1)
    assert str(when.range) == f"3-{count}"
    model.undo()
    assert model.is_untouched


def test_the_picture_can_show_a_fixed_number_of_launches(when: WhenViewModel) -> None:
    when.shown_launches = 50
    when.type_range("1-200")
    assert when.count == 50
    assert "beyond the picture" in when.summary
    assert when.part.spans[0].last == 50


def test_what_the_host_lane_shows(model: ConfigurationViewModel, when: WhenViewModel) -> None:
    assert all(when.records_host(n) for n in (0, 1, 7))
    when.choose_phase("profileApi")
    assert [when.records_host(n) for n in (1, 2, 3, 6)] == [False, True, False, True]
    model.set("host.enable", False)
    assert not when.records_host(2)


def test_a_trace_that_is_off_is_told(model: ConfigurationViewModel, when: WhenViewModel) -> None:
    model.set("hw.enable", False)
    assert not when.is_recording
    assert "off" in when.summary


def test_the_buffer_in_words(model: ConfigurationViewModel, when: WhenViewModel) -> None:
    assert when.buffer_mebibytes == 128
    assert "8.4 million events" in when.buffer_text
    assert "first is kept" in when.buffer_text
    when.set_buffer(1)
    assert "65,536 events" in when.buffer_text
    when.choose_phase("enq")
    assert "after each launch" in when.buffer_text
    model.set("hw.buffer_bytes", (1 << 20) + 1)
    before = model.json_text
    assert when.buffer_mebibytes == 2
    when.set_buffer(2)
    assert model.json_text == before
