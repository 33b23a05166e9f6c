"""Reading what was written gives the same trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hlprof_core.io.open import open_trace
from hlprof_core.io.writers import write_trace
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin, Trace
from hlprof_core.trace.table import SCOPES

NAMES = st.sampled_from(["a", "b", 'quo"te\\', "矩阵", ""])
ARGS = st.sampled_from([None, {"op": "gemm"}, {"x": [1, 2.5, None], "s": "é"}])
TIMES = st.one_of(st.integers(0, 20), st.integers(-5000, 5000), st.just(554804519935268))
SPAN = st.tuples(st.integers(1, 2), st.sampled_from([1, 2, "io"]), TIMES, st.one_of(st.integers(0, 12), st.integers(0, 4000)), NAMES, ARGS)
EVENT = st.one_of(
    st.tuples(st.just("slice"), SPAN),
    st.tuples(st.just("pair"), SPAN),
    st.tuples(st.just("instant"), SPAN),
    st.tuples(st.just("counter"), SPAN),
    st.tuples(st.just("open"), SPAN),
)


def build_trace(events: list[tuple[str, tuple]], arrows: list[tuple[int, int]]) -> Trace:  # type: ignore[type-arg]
    build = TraceBuilder()
    build.process(1, "DMA", labels=("accel0",), sort_index=1)
    build.process(2, "idle", sort_index=2)
    build.thread(1, 2, "DMA 2", sort_index=-1)
    spans = []
    for kind, (pid, tid, time, dur, name, args) in events:
        match kind:
            case "slice":
                build.slice(pid, tid, time, dur, name, cat="c", args=args)
                spans.append((pid, tid, time))
            case "pair":
                build.begin(pid, tid, time, name, args=args)
                build.end(pid, tid, time + dur, name, args={"end": dur} if args else None)
            case "instant":
                build.instant(pid, tid, time, name, scope=SCOPES[dur % 3], args=args)
            case "counter":
                build.counter(pid, time, "mem " + name, {"used": dur / 4, "free": float(-dur)}, counter_id="" if dur % 2 else "0x1")
            case "open":
                build.begin(pid, tid, time, name, args=args)
    for number, (source, target) in enumerate(arrows):
        if spans:
            build.flow("s", *spans[source % len(spans)], number, cat="f")
            build.flow("f", *spans[target % len(spans)], number, cat="f")
    build.instant(1, 1, 554804519999999, "last")
    return build.finish(Origin("test", base_ns=1727000000000000000, properties={"deviceProperties": [{"id": 0}]}))


def tell(trace: Trace) -> dict[str, list[tuple]]:  # type: ignore[type-arg]
    """All of a trace without numbers that depend on where texts lie."""
    s, i, f, text = trace.slices, trace.instants, trace.flows, trace.strings

    def row(track: int) -> tuple[str, str, str]:
        return trace.tracks[track].pid, trace.tracks[track].tid, trace.tracks[track].kind

    columns = (s.track, s.depth, s.start_ns, s.dur_ns, s.cat, s.flags)
    slices = [
        (*row(track), depth, start, dur, trace.name(k), text[cat], flags, str(trace.args(k)))
        for k, (track, depth, start, dur, cat, flags) in enumerate(zip(*(c.tolist() for c in columns), strict=True))
    ]
    instants = sorted(
        (*row(int(i.track[k])), int(i.time_ns[k]), text[int(i.name[k])], int(i.scope[k]), str(trace.instant_args(k))) for k in range(len(i))
    )
    samples = sorted(
        (row(line.track), line.name, line.series, line.counter_id, sorted(zip(c_time, c_value, strict=True)))
        for line in trace.series
        for low, high in [trace.counters.offsets[line.id : line.id + 2]]
        for c_time, c_value in [(trace.counters.time_ns[low:high].tolist(), trace.counters.value[low:high].tolist())]
    )
    arrows = sorted((slices[a], slices[b]) for a, b in zip(f.from_slice.tolist(), f.to_slice.tolist(), strict=True))
    processes = [(p.pid, p.name, p.labels, p.sort_index) for p in trace.processes]
    tracks = sorted((t.pid, t.tid, t.kind, t.name, t.sort_index) for t in trace.tracks)
    return {
        "slices": sorted(slices),
        "instants": instants,
        "samples": samples,
        "arrows": arrows,
        "processes": processes,
        "tracks": tracks,
        "about": [(trace.origin.base_ns, trace.origin.properties["deviceProperties"], trace.span)],
    }


@pytest.mark.parametrize("suffix", [".json", ".json.gz", ".hltv"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=st.lists(EVENT, max_size=14), arrows=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=4))
def test_written_and_read_is_the_same(suffix: str, tmp_path: Path, events: list, arrows: list) -> None:  # type: ignore[type-arg]
    trace = build_trace(events, arrows)
    path = tmp_path / f"trace{suffix}"
    write_trace(trace, path)
    assert tell(open_trace(path, use_cache=False)) == tell(trace)
