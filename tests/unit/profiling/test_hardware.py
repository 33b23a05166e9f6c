"""What the probes see: enabled units only, names by context id, a finite buffer, work on the border of a capture."""

from __future__ import annotations

import collections

import numpy as np
import pytest

from hlprof_core.io.open import open_trace
from hlprof_core.io.writers import write_trace
from hlprof_core.profiling.buffer import EVENT_BYTES, RawEvents, TraceBuffer
from hlprof_core.profiling.context_id import WRAP, Unwrapper, to_wire
from hlprof_core.profiling.units import INSTRUMENTS
from hlprof_core.synapse.graph import Graph
from tests.unit.profiling.conftest import small_graph


def signals(run):
    """Names of the hardware events by engine class, straight from the buffer."""
    generation = run.runtime.generation
    found = collections.defaultdict(set)
    for capture in run.recorder.hardware.captures:
        for number, signal in zip(capture.buffer.events().engine, capture.buffer.events().signal, strict=True):
            engine = generation.engines[number]
            found[engine.engine_class].add(INSTRUMENTS[engine.engine_class][generation.number].signals[signal].name)
    return found


def engines(run, engine_class):
    generation = run.runtime.generation
    numbers = {n for c in run.recorder.hardware.captures for n in c.buffer.events().engine.tolist()}
    return {generation.engines[n].index for n in numbers if generation.engines[n].engine_class == engine_class}


@pytest.mark.parametrize(
    ("device", "tpc", "mme"),
    [
        ("gaudi", {"TRC_TPC_LOG_CONTEXT_START", "TRC_TPC_LOG_CONTEXT_HALT"}, {"SB0_START_EVT", "WB0_END"}),
        ("gaudi2", {"TPC_SPU_START", "TPC_SPU_START_TO_SPU_HALT"}, {"START_EVENT", "MMEH_WB0_MON_TS_BIT1"}),
        (
            "gaudi3",
            {"TPC_QMAN_CMD_EXE", "TPC_SPU_START", "TPC_SPU_START_TO_SPU_HALT", "TPC_VPU_HALT", "TPC_END_OF_KERNEL_MESSAGE_WRITE"},
            {"SB0_START_EVT", "WB0_END"},
        ),
    ],
)
def test_each_generation_sends_its_own_events(record, device, tpc, mme):
    run = record("-p device-acq", device=device)
    run.program(2)
    found = signals(run)
    assert (found["TPC"], found["MME"] & mme) == (tpc, mme)
    assert found["DMA"] == {"DBG_DMA_TRC_RD_FRST_ADDR_PUSH", "DBG_DMA_TRC_WR_DATA_LAST"}


def test_units_that_are_off_are_not_seen(record):
    run = record("-p device-acq -gaudi --tpc3 off --tpc5 off --dma_ch0 off")
    run.program(2)
    assert engines(run, "TPC") == {0, 1, 2, 4, 6, 7}
    assert 0 not in engines(run, "DMA")


def test_half_of_an_engines_units_see_half_of_its_events(record):
    run = record("-p device-acq -gaudi --mme0_sbab off --mme1_sbab off --mme2_sbab off --mme3_sbab off")
    run.program(1)
    assert signals(run)["MME"] == {"WB0_END"}
    # Ends without begins are no slices, and the loss is told.
    assert "layout.stray_end" in {d.code for d in run.trace().diagnostics}


def test_names_come_from_the_debug_information_of_the_recipe(record):
    run = record("-p device-acq -gaudi")
    run.program(1)
    trace = run.trace()
    for i in range(len(trace.slices)):
        track = trace.tracks[trace.slices.track[i]]
        if trace.processes[track.process].name in ("MME", "TPC"):
            args, name = trace.args(i), trace.name(i)
            assert args["op"] == ("gemm" if name.startswith("fc") else "relu_fwd_f32")
            assert (args["dtype"], args["Device"], args["Recipe name"]) == ("float32", "hl0", "net")
            assert 0xE001 <= args["Recipe id"] <= 0xFFFE
            assert args["Unique Node ID"] > 0
            assert args["recipeHandle"].startswith("0x")
            begin, end = (
                ("SB0_START_EVT", "WB0_END") if name.startswith("fc") else ("TRC_TPC_LOG_CONTEXT_START", "TRC_TPC_LOG_CONTEXT_HALT")
            )
            assert (args["HW event name"], args["HW end event name"]) == (begin, end)


def test_first_node_of_a_class_carries_the_recipe_id(record):
    run = record("-p device-acq -gaudi")
    run.program(1)
    (capture,) = run.recorder.hardware.captures
    generation = run.runtime.generation
    launch = next(launch for launch in capture.launches if launch.kind == "launch")
    seen = collections.defaultdict(set)
    events = capture.buffer.events()
    for row in range(launch.first, launch.first + launch.count):
        seen[generation.engines[events.engine[row]].engine_class].add(int(events.context[row]))
    assert seen["TPC"] == seen["MME"] == {launch.recipe.recipe_id, 1, 2}


def test_context_ids_wrap_after_13_bits():
    unwrapper = Unwrapper(0xE005)
    for context_id in [0, 1, 1, 0, 2, *range(3, 3 * WRAP + 5)]:
        assert unwrapper.full(to_wire(context_id, 0xE005)) == context_id
    assert to_wire(WRAP, 0xE005) == 0
    # Events of one class overlap: an older node may still end after a newer one began.
    assert unwrapper.full(to_wire(3 * WRAP - 2, 0xE005)) == 3 * WRAP - 2


def test_a_full_buffer_keeps_the_earliest_and_counts_the_rest():
    def raw(*times):
        zeros = np.zeros(len(times), np.uint16)
        return RawEvents(np.array(times, np.int64), zeros, zeros.astype(np.uint8), zeros)

    buffer = TraceBuffer(3 * EVENT_BYTES)
    assert buffer.push(raw(10, 20)) == 2
    assert buffer.push(raw(30, 40)) == 1
    assert buffer.push(raw(5)) == 0
    assert (buffer.events().time_ns.tolist(), buffer.lost, buffer.full_since_ns) == ([10, 20, 30], 2, 40)


def test_a_full_buffer_is_told_in_the_trace(record):
    run = record("-p device-acq")
    run.recorder.hardware.buffer_bytes = 50 * EVENT_BYTES
    run.program(3)
    run.runtime.finish()
    trace = run.trace()
    (loss,) = [d for d in trace.diagnostics if d.code == "record.buffer_full"]
    assert (loss.severity, loss.count) == ("data-loss", run.recorder.hardware.captures[0].buffer.lost)
    assert loss.count > 20
    assert [trace.strings[int(n)] for n in trace.instants.name] == ["trace buffer full"]


def test_work_on_the_border_of_a_capture_is_seen_as_far_as_it_goes(record):
    run = record("-i")
    run.runtime.acquire_device()
    stream = run.runtime.create_stream("feed")
    run.runtime.copy(stream, "host_to_device", 64 << 20)
    run.recorder.profiler_start(run.runtime, 1, 0)
    run.runtime.synchronize_device()
    run.runtime.copy(stream, "host_to_device", 64 << 20)
    run.recorder.profiler_stop(run.runtime, 1, 0)
    codes = {d.code: d.count for d in run.trace().diagnostics}
    assert codes == {"layout.stray_end": 1, "record.cut": 1}


def test_trimming_forgets_what_was_lost_after_the_end(record):
    run = record("-p device-acq")
    run.recorder.hardware.buffer_bytes = 100 * EVENT_BYTES
    run.program(3)
    (capture,) = run.recorder.hardware.captures
    middle = int(capture.buffer.events().time_ns[50])
    run.recorder.hardware.trim(capture, middle)
    assert capture.buffer.events().time_ns.max() <= middle
    assert (capture.buffer.lost, capture.buffer.is_full) == (0, False)
    assert sum(launch.count for launch in capture.launches) == len(capture.buffer)


def test_rows_and_processes(record):
    run = record("-p device-acq -gaudi")
    run.program(2)
    trace = run.trace()
    assert [p.name for p in trace.processes] == ["DMA", "MME", "TPC", "Host"]
    rows = [t.name for t in trace.tracks if trace.processes[t.process].name == "TPC"]
    assert rows == [f"TPC {i}" for i in range(8)]


def test_arrows_lead_from_the_launch_to_its_first_work(record):
    run = record("-p device-acq")
    run.program(2)
    trace = run.trace()
    arrows = [(trace.name(a), trace.name(b)) for a, b in zip(trace.flows.from_slice, trace.flows.to_slice, strict=True)]
    assert sorted(b for _, b in arrows) == ["fc0/forward"] * 2 + ["pdma_tx memcpy"] * 2
    assert sum(a.startswith("enqueueWithExternalEvents") for a, _ in arrows) == 2
    quiet = record("-p device-acq")
    quiet.recorder.config.set("hw.flows", False)
    quiet.program(2)
    assert len(quiet.trace().flows) == 0


def test_busy_time_of_whole_launches(record):
    run = record("-i")
    run.recorder.config.set("hw.recipe_busy", True)
    run.runtime.acquire_device()
    recipe = run.runtime.compile(small_graph())
    stream = run.runtime.create_stream("compute")
    run.recorder.profiler_start(run.runtime, 1, 0)
    run.runtime.launch(stream, recipe)
    run.runtime.synchronize_device()
    run.recorder.profiler_stop(run.runtime, 1, 0)
    assert [name for _, name in run.device_slices()] == ["Busy net"]


def test_descriptors_that_follow_each_other_without_a_gap_stay_apart(record, tmp_path):
    run = record("-p device-acq")
    graph = Graph("large")
    x, w = graph.tensor("x", (512, 4096), "f32", persistent=True), graph.tensor("w", (4096, 4096), "f32", persistent=True)
    graph.node("gemm_dedw", "fc/backward/weight", [x, x], [w])
    run.runtime.acquire_device()
    recipe = run.runtime.compile(graph)
    run.runtime.launch(run.runtime.create_stream("compute"), recipe)
    run.runtime.synchronize_device()
    run.runtime.release_device()
    write_trace(run.trace(), tmp_path / "large.json")
    for trace in (run.trace(), open_trace(tmp_path / "large.json")):
        rows = [i for i in range(len(trace.slices.start_ns)) if trace.name(i) == "fc/backward/weight"]
        assert len(rows) == 2 * recipe.nodes[0].num_descriptors > 2
        assert min(trace.slices.dur_ns[i] for i in rows) > 10_000


def test_what_a_full_buffer_cut_does_not_reach_to_the_end_of_the_trace(record):
    run = record("-p device-acq")
    run.recorder.hardware.buffer_bytes = 101 * EVENT_BYTES
    run.program(3)
    run.runtime.finish()
    (capture,) = run.recorder.hardware.captures
    trace = run.trace()
    on_device = np.array([trace.processes[trace.tracks[t].process].name != "Host" for t in trace.slices.track])
    ends = (trace.slices.start_ns + trace.slices.dur_ns)[on_device]
    assert ends.max() <= max(capture.buffer.full_since_ns, capture.buffer.events().time_ns.max())
    assert not (trace.slices.flags & 1).any()


def test_what_one_session_cut_does_not_reach_into_the_next(record):
    run = record("-i")
    run.runtime.acquire_device()
    stream = run.runtime.create_stream("feed")
    for _ in range(2):
        run.recorder.profiler_start(run.runtime, 1, 0)
        run.runtime.copy(stream, "host_to_device", 64 << 20)
        run.recorder.profiler_stop(run.runtime, 1, 0)
        run.runtime.synchronize_device()
    trace = run.trace()
    rows = [i for i in range(len(trace.slices)) if trace.name(i) == "pdma_tx memcpy"]
    ends = [int(trace.slices.start_ns[i] + trace.slices.dur_ns[i]) for i in rows]
    assert ends == [session.end_ns for session in run.recorder.sessions.sessions]
    assert {trace.args(i)["ended by"] for i in rows} == {"end of recording"}
