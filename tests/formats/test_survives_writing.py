"""Every sample trace survives being written as Chrome JSON and read again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from hlprof_core.cli.events import lines
from hlprof_core.errors import TraceError
from hlprof_core.io.open import open_trace
from hlprof_core.io.writers import write_trace
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import BEGIN_END

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT.parent / "shared" / "samples"
ENDINGS = (".json", ".gz", ".zip", ".csv")
FILES = sorted(p for p in SAMPLES.glob("*/*") if p.suffix in ENDINGS and p.name != "expected.json")


def tell(trace: Trace) -> dict[str, Counter[object]]:
    """What a trace holds, by names and times."""
    s, i, f, text = trace.slices, trace.instants, trace.flows, trace.strings
    tracks = [(t.pid, t.tid if t.kind == "thread" else "", t.kind, t.name) for t in trace.tracks]
    # A slice that only a stray end kept open until the end of the trace is written with an end of its own.
    columns = (s.track, s.depth, s.start_ns, s.dur_ns, s.name, s.cat, s.flags & BEGIN_END)
    slices = [
        (tracks[track], depth, start, dur, text[name], text[cat], flags, str(trace.args(k)))
        for k, (track, depth, start, dur, name, cat, flags) in enumerate(zip(*(c.tolist() for c in columns), strict=True))
    ]
    moments = (i.track, i.time_ns, i.name, i.scope)
    return {
        "tracks": Counter(tracks),
        "processes": Counter((p.pid, p.name, p.labels, p.sort_index) for p in trace.processes),
        "slices": Counter(slices),
        "instants": Counter((tracks[a], b, text[c], d) for a, b, c, d in zip(*(m.tolist() for m in moments), strict=True)),
        "samples": Counter(
            (tracks[line.track], line.series, time, value)
            for line in trace.series
            for low, high in [trace.counters.offsets[line.id : line.id + 2].tolist()]
            for time, value in zip(trace.counters.time_ns[low:high].tolist(), trace.counters.value[low:high].tolist(), strict=True)
        ),
        "beside": Counter(str(line) for line in lines(trace, ("object", "sample"), (None, None), with_args=True)),
        "stacks": Counter(
            (slices[k], *(tuple(trace.stack(frame)) for frame in trace.slice_frames(k))) for k in trace.slice_stacks.slice.tolist()
        ),
        "arrows": Counter((slices[a], slices[b]) for a, b in zip(f.from_slice.tolist(), f.to_slice.tolist(), strict=True)),
    }


@pytest.mark.skipif(not FILES, reason="the sample traces are not here")
@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_survives_writing(path: Path, tmp_path: Path) -> None:
    try:
        trace = open_trace(path, use_cache=False)
    except TraceError:
        pytest.skip("no trace, and refused as such")
    target = tmp_path / "again.json"
    write_trace(trace, target)
    again, wanted = tell(open_trace(target, use_cache=False)), tell(trace)
    for part, expected in wanted.items():
        assert again[part] - expected == Counter(), f"{part}: too many"
        assert expected - again[part] == Counter(), f"{part}: missing"
