"""Sessions the program starts, by hand and by iteration; wrong orders are refused."""

from __future__ import annotations

import pytest

from hlprof_core.errors import SessionStateError
from hlprof_core.profiling import api


def session_names(run):
    trace = run.trace()
    rows = {t.id for t in trace.tracks if t.name == "*Profiler sessions"}
    return [trace.name(i) for i in range(len(trace.slices)) if int(trace.slices.track[i]) in rows]


def loop(run, count, chosen, fail_at=0):
    run.runtime.acquire_device()
    stream = run.runtime.create_stream("feed")
    with api.iterations(chosen) as steps:
        for i in range(1, count + 1):
            with steps.step(i):
                run.runtime.copy(stream, "host_to_device", i << 20, tensor=f"batch {i}")
                if i == fail_at:
                    raise ZeroDivisionError


def test_only_the_chosen_iterations_are_recorded(record):
    run = record("-i")
    loop(run, 15, {2, 6, 12})
    assert session_names(run) == ["iteration 2", "iteration 6", "iteration 12"]
    trace = run.trace()
    sizes = [trace.args(i)["Bytes"] >> 20 for i in range(len(trace.slices)) if trace.name(i) == "pdma_tx memcpy"]
    assert sizes == [2, 6, 12]
    tensors = [trace.args(i)["tensor"] for i in range(len(trace.slices)) if trace.name(i) == "synMemCopyAsync"]
    assert tensors == ["batch 2", "batch 6", "batch 12"]
    assert not [d for d in trace.diagnostics if d.severity != "info"]
    windows = [(s.start_ns, s.end_ns) for s in run.recorder.sessions.sessions]
    ends = trace.slices.start_ns + trace.slices.dur_ns
    assert all(any(a <= s and e <= b for a, b in windows) for s, e in zip(trace.slices.start_ns, ends, strict=True))


def test_an_iteration_that_fails_is_kept(record):
    run = record("-i")
    with pytest.raises(ZeroDivisionError):
        loop(run, 3, {2}, fail_at=2)
    assert session_names(run) == ["iteration 2"]
    assert run.recorder.sessions.running is None


def test_iterations_the_program_never_reaches_are_told(record, capsys):
    loop(record("-i"), 3, {2, 9})
    assert capsys.readouterr().err.count("iterations 9 were to be profiled") == 1


def test_without_a_profiler_iterations_say_so_once(capsys):
    with api.iterations({1, 2}) as steps:
        for i in (1, 2):
            with steps.step(i):
                pass
    assert capsys.readouterr().err.count("no profiler is attached") == 1


def test_in_an_automatic_phase_iterations_are_marked(record, capsys):
    run = record("-p device-acq -b 256")
    loop(run, 3, {2})
    assert session_names(run) == ["iteration 2"]
    assert "the phase device-acq decides" in capsys.readouterr().err
    trace = run.trace()
    assert sum(trace.name(i) == "synMemCopyAsync" for i in range(len(trace.slices))) == 3


def test_sessions_by_hand(record):
    run = record("-i")
    run.runtime.acquire_device()
    stream = run.runtime.create_stream("feed")
    for name in ("", "warm"):
        api.start(name=name)
        run.runtime.copy(stream, "host_to_device", 1 << 20)
        began = api.current_time_ns()
        run.runtime.synchronize_device()
        api.add_custom_measurement("my step", began, {"loss": 0.5}, thread="trainer")
        api.stop()
    api.add_custom_measurement("outside", api.current_time_ns())
    assert session_names(run) == ["session 1", "warm"]
    trace = run.trace()
    mine = [i for i in range(len(trace.slices)) if trace.name(i) == "my step"]
    assert len(mine) == 2
    assert trace.tracks[trace.slices.track[mine[0]]].name == "trainer"
    assert trace.args(mine[0]) == {"loss": 0.5}
    assert "outside" not in {trace.name(i) for i in range(len(trace.slices))}


def test_kinds_of_sessions(record):
    run = record("-i")
    run.runtime.acquire_device()
    stream = run.runtime.create_stream("feed")
    for kind in (api.TRACE_HOST, api.TRACE_DEVICE):
        api.start(kind)
        run.runtime.copy(stream, "host_to_device", 1 << 20)
        run.runtime.synchronize_device()
        api.stop(kind)
    trace = run.trace()
    names = [trace.name(i) for i in range(len(trace.slices))]
    assert names.count("pdma_tx memcpy") == names.count("synMemCopyAsync") == 1


def test_wrong_orders_are_refused(record):
    with pytest.raises(SessionStateError, match="no profiler is attached"):
        api.start()
    run = record("-i")
    run.runtime.acquire_device()
    with pytest.raises(SessionStateError, match="No profiler session runs"):
        api.stop()
    api.start()
    with pytest.raises(SessionStateError, match="runs already"):
        api.start()
    with pytest.raises(SessionStateError, match="still runs"):
        api.get_trace()
    with pytest.raises(SessionStateError, match="of type all, not host"):
        api.stop(api.TRACE_HOST)
    api.stop()
    with pytest.raises(SessionStateError, match="not a trace type"):
        api.start(9)


def test_automatic_phases_refuse_sessions(record):
    record("-p enq")
    with pytest.raises(SessionStateError, match=r"records by itself.*hl-prof-config -i"):
        api.start()


def test_a_session_that_the_end_cuts_is_kept(record):
    run = record("-i")
    run.runtime.acquire_device()
    api.start(name="half")
    run.runtime.finish()
    (session,) = run.recorder.sessions.sessions
    assert session.is_cut
    trace = run.trace()
    assert trace.args([trace.name(i) for i in range(len(trace.slices))].index("half")) == {"ended by": "end of the program"}


def test_a_program_without_sessions_is_told(record, capsys):
    record("-i").runtime.finish()
    assert "the program started none" in capsys.readouterr().err
