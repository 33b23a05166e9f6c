"""Estimates from an earlier, shorter trace of the program are about what the model then records."""

from __future__ import annotations

from pathlib import Path

import pytest

from hlprof_core import services
from hlprof_core.errors import UsageError
from hlprof_core.profiling.estimate import estimate_like
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin
from tests.recorded_run import configured, ratios, record_workload
from tests.small_trace import small_trace

PROMISED = 1.5
SOURCES = {
    "two launches": ("--merged json", 3, ()),
    "archive": ("-p multi-enq -g 1-3 --merged hltv", 4, ()),
    "csv, without arrows": ("-p multi-enq -g 1-3 --merged csv", 4, ()),
    "sessions": ("-i --merged json", 4, (2, 3)),
    "one launch by itself": ("-p enq -g 2 --merged json", 3, ()),
    "host off": ("--host off -p multi-enq -g 1-3 --merged json", 4, ()),
    "full buffer": ("-p device-acq hw.buffer_bytes={room} --merged json", 9, ()),
}
TARGETS = {
    "default": ("--merged json,hltv,csv", ()),
    "multi-enq": ("-p multi-enq -g 2-5 --merged json", ()),
    "device-acq": ("-p device-acq --merged hltv", ()),
    "enq": ("-p enq -g 2-4 --merged json --invoc csv", ()),
    "profileApi": ("-i --merged json", (3,)),
    "mem": ("-p mem -g 1-30 --merged json,hltv", ()),
    "host off": ("--host off --merged json,csv", ()),
    "units off": ("units.{device}.TPC=0 --merged json", ()),
    "overflow": ("-p device-acq -b 1 --merged json,csv", ()),
}
QUICK = [
    ("gaudi", "two launches", "multi-enq"),
    ("gaudi", "archive", "default"),
    ("gaudi", "csv, without arrows", "device-acq"),
    ("gaudi", "sessions", "enq"),
    ("gaudi2", "one launch by itself", "units off"),
    ("gaudi", "one launch by itself", "mem"),
    ("gaudi", "host off", "host off"),
    ("gaudi", "full buffer", "profileApi"),
]
DEEP = [(device, s, t) for device in ("gaudi", "gaudi2", "gaudi3") for s in SOURCES for t in TARGETS if (device, s, t) not in QUICK]


def compare(device: str, source: str, target: str, folder: Path) -> dict[str, float]:
    line, iterations, chosen = SOURCES[source]
    # Room for some launches and a part: of a trace that was full within its first, nobody can tell what a launch is.
    line = line.format(room=2_000_000 if device == "gaudi3" else 300_000)
    config = configured(f"--{device} {line}", folder / "source")
    earlier = record_workload(config, f"dlrm --iterations {iterations}", device, chosen).paths[0]
    line, chosen = TARGETS[target]
    config = configured(f"--{device} {line.format(device=device)}", folder / "target")
    found = services.estimate(config, like=earlier, iterations=6, profile_iterations=chosen or None)
    seen = record_workload(config, "dlrm --iterations 6", device, chosen)
    result = ratios(found, seen)
    if source == "host off":
        assert found.host_events == 0
        assert any("--host on" in note for note in found.notes)
        result.pop("host events")
    print({what: round(ratio, 3) for what, ratio in result.items()})
    return result


def assert_kept(found: dict[str, float]) -> None:
    assert {what: ratio for what, ratio in found.items() if not 1 / PROMISED < ratio < PROMISED} == {}


@pytest.mark.parametrize(("device", "source", "target"), QUICK)
def test_a_shorter_recording_tells_of_the_next(device: str, source: str, target: str, tmp_path: Path) -> None:
    assert_kept(compare(device, source, target, tmp_path))


@pytest.mark.deep
@pytest.mark.parametrize(("device", "source", "target"), DEEP)
def test_any_recording_tells_of_any_other(device: str, source: str, target: str, tmp_path: Path) -> None:
    found = compare(device, source, target, tmp_path)
    if source == "host off" and target == "mem":
        # Nearly all of such a file are calls, and the trace shows none.
        found.pop("default_profiling.json")
    assert_kept(found)


def test_the_overflow_of_a_longer_range_is_told(tmp_path: Path) -> None:
    earlier = record_workload(configured("--gaudi --merged json", tmp_path), "dlrm --iterations 3", "gaudi").paths[0]
    config = configured("--gaudi -p multi-enq -g 1-60 -b 1")
    found = services.estimate(config, like=earlier)
    counted = services.estimate(config, "dlrm")
    assert found.buffer_fill > 1
    assert found.first_lost_launch == counted.first_lost_launch
    assert found.notes[0] == counted.notes[0]
    assert "60 launches" in found.basis


def test_another_generation_is_no_ground_for_a_guess(tmp_path: Path) -> None:
    earlier = record_workload(configured("--gaudi --merged json", tmp_path), "dlrm --iterations 3", "gaudi").paths[0]
    found = services.estimate(configured("--gaudi3"), like=earlier)
    assert any("the trace is of gaudi, the target is gaudi3" in note for note in found.notes)


def test_rows_tell_the_generation_and_repetition_the_launches() -> None:
    """A drawn trace without properties, launch calls or arrows: MME runs three pieces, TPC two of one name."""
    found = estimate_like(configured("-p multi-enq -g 1-10"), small_trace())
    assert (found.launches, found.device_events) == (10, 100)
    assert not any("generation" in note for note in found.notes)
    assert any("counted by what its engines repeat" in note for note in found.notes)
    without_tpc = estimate_like(configured("-p multi-enq -g 1-10 units.gaudi.TPC=0"), small_trace())
    assert without_tpc.device_events == 60


def test_rows_of_no_known_generation() -> None:
    b = TraceBuilder()
    b.process("t", "TPC")
    b.thread("t", 0, "*TPC")
    for launch in range(4):
        b.slice("t", 0, 1000 * launch, 500, "relu")
    found = estimate_like(configured("-p multi-enq -g 1-3"), b.finish(Origin("chrome-json")))
    assert (found.launches, found.device_events) == (3, 6)
    assert any("units that are off are not taken out" in note for note in found.notes)


def test_a_trace_without_a_device_is_refused(tmp_path: Path) -> None:
    config = configured("--gaudi --hw-trace off --merged json", tmp_path)
    earlier = record_workload(config, "dlrm --iterations 2", "gaudi").paths[0]
    with pytest.raises(UsageError, match=r"default_profiling\.json shows no work of a Gaudi"):
        services.estimate(configured(""), like=earlier)
