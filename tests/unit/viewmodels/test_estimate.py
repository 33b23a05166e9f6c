"""What the window says of an estimate."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from hlprof_core.config.document import ProfConfig
from hlprof_core.config.schema import PROFILE_API
from hlprof_core.profiling.estimate.estimate import Estimate
from hlprof_core.services import estimate
from hlprof_gui.viewmodels.estimate import IN_THE_WINDOW, estimate_text

CALM = Estimate(
    launches=10,
    host_events=200,
    device_events=29_000,
    events=29_200,
    buffer_bytes=1 << 20,
    buffer_limit_bytes=128 << 20,
    buffer_fill=1 / 128,
    first_lost_launch=None,
    file_bytes={"a.hltv": 3 << 20, "a_<invocation>.csv": 1 << 20},
    total_bytes=4 << 20,
    post_processing_ns=87_000_000,
    basis="dlrm",
    notes=("a note.",),
    file_counts={"a.hltv": 1, "a_<invocation>.csv": 10},
)


def test_figures() -> None:
    text = estimate_text(CALM)
    figures = dict(text.figures)
    assert figures["Events"] == "29,200"
    assert "29,000 device, 200 host" in figures.values()
    assert figures["Files"] == "4.0 MiB in 11 files"
    assert text.fill_text == "0.8% of 128.0 MiB"
    assert text.fill < 1
    assert "Lost" not in figures
    assert text.notes == ("A note.",)


def test_hardly_any_use_of_the_buffer_is_not_called_none() -> None:
    assert estimate_text(replace(CALM, buffer_fill=0.0004)).fill_text == "under 0.1% of 128.0 MiB"


def test_an_overflow_says_from_where_on() -> None:
    text = estimate_text(replace(CALM, buffer_fill=2.5, first_lost_launch=7, lost_events=12_345))
    assert text.fill > 1
    assert text.fill_text == "2.5 times 128.0 MiB, full at launch 7"
    assert dict(text.figures)["Lost"].startswith("12,345")


def test_without_hardware_there_is_no_buffer_to_fill() -> None:
    text = estimate_text(replace(CALM, device_events=0, buffer_fill=0.0, file_bytes={}, total_bytes=0))
    assert text.fill_text == "not used"
    assert dict(text.figures)["Files"] == "none"


@pytest.mark.parametrize("option", IN_THE_WINDOW)
def test_notes_name_the_controls_of_the_window_instead_of_options(option: str) -> None:
    config = ProfConfig()
    config.set("hw.arch", "gaudi2")
    config.set("hw.phase", PROFILE_API)
    found = estimate(config, "dlrm --iterations 2", profile_iterations=())
    assert any(option in note for note in found.notes)
    assert not any(option in note for note in estimate_text(found).notes)
    assert any(IN_THE_WINDOW[option] in note for note in estimate_text(found).notes)
