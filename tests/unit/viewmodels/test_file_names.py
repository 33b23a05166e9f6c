"""The names that are shown beforehand are the names that a recording gives its files."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from hlprof_core.config.document import ProfConfig
from hlprof_gui.viewmodels.file_names import PID, FileNames, expected_files

WALL_S = time.mktime((2026, 3, 4, 15, 6, 7, 0, 0, -1))


def names(**values: Any) -> FileNames:
    config = ProfConfig()
    for key, value in values.items():
        config.set(key.replace("__", "."), value)
    return expected_files(config, WALL_S)


def test_a_merged_file_with_the_process_id() -> None:
    found = names(session__name="run")
    assert [f.name for f in found.files] == [f"run_{PID}.hltv"]
    assert any("process id" in text for text in found.remarks)
    assert [f.name for f in names(session__name="run", merged__hltv=False, merged__csv=True).files] == ["run.csv"]
    with_pid = names(session__name="run", merged__hltv=False, merged__csv=True, session__add_pid=True)
    assert [f.name for f in with_pid.files] == [f"run_{PID}.csv"]


def test_the_time_stands_at_the_end_of_the_name() -> None:
    found = names(session__name="r#n", merged__hltv=False, merged__json=True)
    assert [f.name for f in found.files] == ["rn_20260304_15-06-07.json"]
    assert any("time" in text for text in found.remarks)


def test_files_of_invocations_and_how_many_more() -> None:
    found = names(hw__phase="enq", hw__range="2-11", invoc__csv=True, session__add_pci=True, session__name="r")
    assert [f.name for f in found.files[1:]] == [f"r_hl0_{n:03}_0000:00:00.0.csv" for n in (2, 3, 4)]
    assert [f.content for f in found.files[1:]] == ["launch 2", "launch 3", "launch 4"]
    assert found.more == 7


@pytest.mark.parametrize(
    ("values", "content"),
    [
        ({"hw__phase": "multi-enq", "hw__range": "1-5,7"}, ["launches 1-5", "launch 7"]),
        ({"hw__phase": "device-acq"}, ["the whole run of the device"]),
        ({"hw__phase": "mem", "hw__range": "4"}, ["copy 4"]),
        ({"hw__phase": "profileApi"}, ["session 1", "session 2"]),
    ],
)
def test_what_each_phase_captures(values: dict[str, Any], content: list[str]) -> None:
    assert [f.content for f in names(invoc__hltv=True, **values).files[1:]] == content


def test_without_the_host_the_hardware_has_files_of_its_own() -> None:
    found = names(host__enable=False, session__name="r")
    assert [f.name for f in found.files] == ["r_hl0_1-2.hltv"]


def test_nothing_recorded_is_no_file() -> None:
    assert names(host__enable=False, hw__enable=False).files == ()


def test_names_are_those_that_a_recording_writes(tmp_path: Any) -> None:
    """The same rules as the recorder's own, seen from its side."""
    from hlprof_core.profiling.outputs import hardware_files, merged_files

    config = ProfConfig()
    for key, value in {"session.name": "r", "merged.json": True, "invoc.csv": True, "hw.arch": "gaudi2", "hw.range": "3-4"}.items():
        config.set(key, value)
    written = [*merged_files(config, pid=PID, wall_s=WALL_S), *hardware_files(config, ["3-4"], device="accel0", wall_s=WALL_S)]
    assert [f.name for f in expected_files(config, WALL_S).files] == [f.path.name for f in written]
    assert all(re.fullmatch(r"[\w.:-]+", f.path.name) for f in written)
