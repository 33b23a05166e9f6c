"""Columns of raw events, and their names, against a slow and obvious reading of the same work."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hlprof_core.config.document import ProfConfig
from hlprof_core.device import load_generation
from hlprof_core.profiling.context_id import WRAP
from hlprof_core.profiling.decode import Decoder
from hlprof_core.profiling.hw_trace import HwTrace, make_probes
from hlprof_core.profiling.units import INSTRUMENTS
from hlprof_core.synapse.shim import EngineWork

NODES = 20_000
"""More than context ids have numbers, so that they wrap."""


class FakeRecipe:
    """Nodes named after their class and context id."""

    recipe_id, handle, name = 0xE123, 0x55, "fake"

    def node_of(self, engine_class, context_id):
        facts = {"op": "op", "dtype": "float32", "unique_id": context_id + 1, "bundle_index": None}
        return SimpleNamespace(node_name=f"{engine_class} {context_id}", **facts)

    def nodes_of(self, engine_class):
        return (SimpleNamespace(context_id=NODES - 1),)


RECIPE = FakeRecipe()


@st.composite
def launches(draw):
    """Work of one launch: nodes of each class in rising order, a little overlap in time."""
    work = []
    for engine_class, count in (("TPC", 8), ("MME", 2), ("DMA", 8)):
        time_ns, context_id = 0, draw(st.integers(0, 4000))
        for _ in range(draw(st.integers(0, 12))):
            length = draw(st.integers(20, 5000))  # longer than the skew: at most two nodes of a class at once, so numbers tell which
            for engine in draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=3)):
                skew = draw(st.integers(0, 5))
                activation = draw(st.integers(0, 3))
                work.append(EngineWork(engine_class, engine, context_id, RECIPE, time_ns + skew, time_ns + skew + length, 7, 1, activation))
            time_ns += max(1, length - draw(st.integers(0, 3)))
            context_id = min(NODES - 1, context_id + draw(st.integers(1, 1000)))
    return work


def expected_events(generation, work, start_ns, end_ns):
    """(time, class, engine, signal name, full context id), one at a time."""
    events = set()
    for w in work:
        instrument = INSTRUMENTS[w.engine_class][generation.number]
        one = SimpleNamespace(start_ns=np.array([w.start_ns]), end_ns=np.array([w.end_ns]), activation=np.array([w.activation]))
        for times, which in instrument.emit(one):
            signal = instrument.signals[int(np.asarray(which).flat[0])]
            time_ns = int(times[0])
            if start_ns <= time_ns and (time_ns < end_ns or (time_ns == end_ns and signal.edge != "begin")):
                events.add((time_ns, w.engine_class, w.engine_index, signal.name, w.context_id))
    return events


@pytest.mark.parametrize("device", ["gaudi", "gaudi2", "gaudi3"])
@settings(max_examples=60, deadline=None)
@given(work=launches(), start_ns=st.integers(0, 3000), length=st.integers(0, 30_000))
def test_events_and_names(device, work, start_ns, length):
    if any(w.context_id >= WRAP for w in work):
        # Who did not see the beginning cannot know how often the ids wrapped before.
        start_ns = 0
    generation = load_generation(device)
    trace = HwTrace(make_probes(generation, ProfConfig()), 1 << 20)
    capture = trace.start("", start_ns)
    trace.record("launch", 1, work, 0)
    trace.stop(start_ns + length)
    decoder = Decoder(generation, 0)
    events = capture.buffer.events()
    found = set()
    for launch in capture.launches:
        rows = slice(launch.first, launch.first + launch.count)
        part = events.take(rows)
        assert (np.diff(part.time_ns) >= 0).all()
        for number, time_ns, engine in zip(decoder.describe(launch, part), part.time_ns, part.engine, strict=True):
            description = decoder.descriptions[number]
            owner = generation.engines[engine]
            context_id = int(description.name.split()[1])
            found.add((int(time_ns), owner.engine_class, owner.index, description.signal.name, context_id))
    assert found == expected_events(generation, work, start_ns, start_ns + length)
