"""What each phase records of the same program."""

from __future__ import annotations

import pytest

from hlprof_core.profiling.recorder import current_recorder


def launches_in(run):
    return [[launch.enqueue for launch in c.launches if launch.kind == "launch"] for c in run.recorder.hardware.captures]


def labels(run):
    return [c.label for c in run.recorder.hardware.captures]


def test_by_default_the_first_two_launches(record):
    run = record()
    run.program(5)
    assert (labels(run), launches_in(run)) == (["1-2"], [[1, 2]])


def test_a_range_is_one_capture(record):
    run = record("-p multi-enq -g 2-4")
    run.program(5)
    assert (labels(run), launches_in(run)) == (["2-4"], [[2, 3, 4]])
    capture = run.recorder.hardware.captures[0]
    assert capture.end_ns == max(launch.end_ns for launch in capture.launches if launch.kind == "launch")


def test_spans_of_a_range_are_captures(record):
    run = record("-p multi-enq -g 1,3-4")
    run.program(5)
    assert (labels(run), launches_in(run)) == (["1", "3-4"], [[1], [3, 4]])


def test_a_range_from_zero_starts_with_the_first(record):
    run = record("-p multi-enq -g 0-2")
    run.program(3)
    assert (labels(run), launches_in(run)) == (["1-2"], [[1, 2]])


def test_a_range_that_the_program_does_not_finish_is_kept(record):
    run = record("-p multi-enq -g 2-100")
    run.program(3)
    run.runtime.finish()
    assert launches_in(run) == [[2, 3]]
    assert run.recorder.hardware.captures[0].end_ns is not None


def test_enq_runs_each_launch_by_itself(record):
    run = record("-p enq -g 2-3")
    run.program(4)
    assert (labels(run), launches_in(run)) == (["002", "003"], [[2], [3]])
    first, second = run.recorder.hardware.captures
    assert first.end_ns <= second.start_ns


def test_mem_records_copies(record):
    run = record("-p mem -g 2")
    run.program(3)
    (capture,) = run.recorder.hardware.captures
    assert [(launch.kind, launch.enqueue) for launch in capture.launches if launch.kind == "memcpy"] == [("memcpy", 2)]


def test_device_acq_records_from_acquire_to_release(record):
    run = record("-p device-acq -b 256")
    run.program(4)
    assert (labels(run), launches_in(run)) == ([""], [[1, 2, 3, 4]])
    assert len(run.recorder.hardware.captures[0].launches) == 8
    names = [name for _, name in run.device_slices()]
    (relu,) = [node for node in run.recorder.hardware.captures[0].launches[-1].recipe.nodes if node.node_name == "relu1/forward"]
    assert names.count("relu1/forward") == 4 * relu.num_working_engines * relu.num_descriptors
    assert names.count("pdma_tx memcpy") == 4


def test_an_automatic_phase_sees_what_else_the_device_does(record):
    run = record("-p multi-enq -g 2")
    run.program(3)
    kinds = {launch.kind for launch in run.recorder.hardware.captures[0].launches}
    assert kinds == {"launch", "memcpy"}


def test_without_hardware_only_the_host(record):
    run = record("--hw-trace off")
    run.program(2)
    assert run.recorder.hardware is None
    trace = run.trace()
    assert [p.name for p in trace.processes] == ["Host"]
    assert "synLaunch" in {trace.name(i) for i in range(len(trace.slices))}


def test_without_the_host_only_hardware(record):
    run = record("--host off")
    run.program(2)
    assert run.recorder.host.events == []
    assert len(run.device_slices()) > 20


def test_the_recorder_is_current_while_its_runtime_lives(record):
    run = record()
    assert current_recorder() is run.recorder
    run.runtime.finish()
    assert current_recorder() is None


@pytest.mark.parametrize("line", ["", "-p enq", "-p device-acq -b 1", "-p multi-enq -g 2-3", "-i"])
def test_only_phases_that_wait_change_the_run(record, line):
    ends = []
    for words in ("--hw-trace off --host off", line):
        run = record(words)
        run.program(4)
        ends.append(run.runtime.now_ns)
    assert (ends[0] == ends[1]) == (line in ("-i", "-p device-acq -b 1"))
