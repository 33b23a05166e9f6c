"""The estimate of a recording from an earlier trace: its events a launch, scaled to what a configuration records."""

from __future__ import annotations

import glob
from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from hlprof_core.config.invocation_range import InvocationRange
from hlprof_core.config.schema import DEFAULT_PHASE, ENQ, MULTI_ENQ, PROFILE_API
from hlprof_core.device import Engine, Generation, device_names, load_generation
from hlprof_core.errors import UsageError
from hlprof_core.profiling.estimate.amount import NOTHING, Amount
from hlprof_core.profiling.estimate.assemble import Ingredients, assemble
from hlprof_core.profiling.estimate.earlier import Earlier, Mask, look_at
from hlprof_core.profiling.estimate.estimate import Estimate
from hlprof_core.profiling.estimate.sample import SAMPLE_EVENTS, FileSize
from hlprof_core.profiling.estimate.shape import Iteration, RunShape, Slot
from hlprof_core.profiling.estimate.text_size import TextSize, measure_text
from hlprof_core.profiling.hw_trace import Probe, make_probes
from hlprof_core.trace.crop import crop
from hlprof_core.trace.ranges import TimeRange
from hlprof_core.trace.table import BEGIN_END, F8

if TYPE_CHECKING:
    from hlprof_core.config.document import ProfConfig
    from hlprof_core.trace.model import Trace

MEMBER_BYTES_A_NODE = 90
"""What a node takes in the debug information and graph of an archive, packed: measured on the model's workloads."""
_LINE_BYTES = 60
"""What a line has beside its texts, to weigh it against others."""


def estimate_like(
    config: ProfConfig, trace: Trace, *, iterations: int | None = None, profile_iterations: Collection[int] | None = None
) -> Estimate:
    """What recording the program of that trace with this configuration gives.

    ``iterations``: launches of the run; None: those of the trace, or as many as the range asks for. ``UsageError`` for a trace without
    device work.
    """
    name = trace.origin.path.name if trace.origin.path is not None else "the trace"
    earlier = look_at(trace)
    if not earlier.launches:
        raise UsageError(f"{name} shows no work of a Gaudi.", hint="Give --like a trace that holds its hardware events.")
    notes: list[str] = []
    generation = _target(config, earlier, notes)
    runs = iterations or max(earlier.host_launches, round(earlier.launches))
    if iterations is None and config.get("hw.phase") in (DEFAULT_PHASE, MULTI_ENQ, ENQ):
        runs = max(runs, InvocationRange.parse(config.get("hw.range")).last)
    notes.append(f"a run of {runs} launches is assumed.")
    chosen: Collection[int] = ()
    if config.get("hw.phase") == PROFILE_API:
        chosen = (min(runs, 3),) if profile_iterations is None else profile_iterations
        if profile_iterations is None:
            notes.append("one session of one launch is assumed: the program decides how many there are.")
    view = _View(config, trace, earlier, generation)
    slot, host, outside = view.slot(), view.host_loop(), view.host_outside()
    call = host * (1 / host.host_events) if host.host_events else NOTHING
    parts = Ingredients(
        shape=RunShape((Slot(), slot), (Iteration((1,), slot.device, host),), runs, outside),
        chosen=chosen,
        file=view.file(),
        file_of_calls=FileSize.of(view.host_text[0]),
        file_of_copies=view.file(only_copies=True),
        session=call,
        wait=call,
        arrow=view.arrow(),
        device=f"{generation.device_prefix if generation is not None else 'accel'}0",
    )
    an_average = f"{view.events_a_launch():,.0f}".replace(",", " ")
    basis = f"like {name}: {an_average} events a launch, the average of {earlier.launches:g}; {runs} launches"
    return assemble(config, parts, basis, [*notes, *earlier.notes, *view.notes])


def _target(config: ProfConfig, earlier: Earlier, notes: list[str]) -> Generation | None:
    """The generation whose units count; None when neither the configuration nor the trace says one."""
    wanted = config.get("hw.arch") or earlier.generation
    if earlier.generation and wanted != earlier.generation:
        notes.append(f"the trace is of {earlier.generation}, the target is {wanted}: events are those of {earlier.generation}'s engines.")
        wanted = earlier.generation
    return load_generation(wanted) if wanted in device_names() else None


class _View:
    """The trace as a configuration would have seen it."""

    def __init__(self, config: ProfConfig, trace: Trace, earlier: Earlier, generation: Generation | None) -> None:
        self.config, self.trace, self.earlier = config, trace, earlier
        self.notes: list[str] = []
        self.counted = earlier.device.copy()
        if earlier.until_ns is not None:
            self.counted &= trace.slices.start_ns < earlier.until_ns
        self.slice_share, self.instant_share = self._shares(generation)
        self.weight = _weights(trace)
        self.device_text = self._measure(earlier.device)
        self.host_text = self._measure(earlier.host)

    def slot(self) -> Slot:
        """One launch with its copies."""
        earlier = self.earlier
        copies = earlier.copies & self.counted
        work = self._device(self.counted & ~copies, with_instants=True)
        moved = self._device(copies, with_instants=False)
        recorded = np.count_nonzero(copies) / earlier.launches
        asked = earlier.copy_calls / max(1, earlier.host_launches)
        if asked > recorded:
            moved = moved * (asked / recorded) if recorded else self._unseen_copies(work, asked)
        return Slot(launch=work, during=moved, copies=round(max(asked, recorded)))

    def _unseen_copies(self, work: Amount, count: float) -> Amount:
        """Copies whose work on the device the trace does not show: begin and end each, of the length that events have."""
        if not work.device_events:
            return NOTHING
        return replace(work, arrows=0.0) * (2 * count / work.device_events) + Amount(arrows=count)

    def events_a_launch(self) -> float:
        return self.slot().device.device_events

    def host_loop(self) -> Amount:
        """Calls of one launch and what goes with it."""
        mask, times = self.earlier.host, self.earlier.launch_ns
        if len(times) > 1:
            start = self.trace.slices.start_ns
            return self._host(mask & (start >= times[0]) & (start < times[-1])) * (1 / (len(times) - 1))
        return self._host(mask) * (1 / max(1.0, self.earlier.launches))

    def host_outside(self) -> Amount:
        """Calls before the first and after the last launch."""
        mask, times = self.earlier.host, self.earlier.launch_ns
        if len(times) < 2:
            return NOTHING
        start = self.trace.slices.start_ns
        edges = self._host(mask & ((start < times[0]) | (start >= times[-1])))
        rest = edges + self.host_loop() * -1
        return rest if rest.host_events > 0 else NOTHING

    def arrow(self) -> Amount:
        whole = measure_text(self._crop(self.earlier.device | self.earlier.host), with_csv=False)
        return Amount(json=whole.json_arrow, packed=whole.json_arrow * whole.packing)

    def file(self, *, only_copies: bool = False) -> FileSize:
        """What a file has once; one with copies only knows of no recipe."""
        if only_copies:
            return FileSize.of(self._measure(self.earlier.copies)[0])
        nodes = len(np.unique(self.trace.slices.name[self.earlier.device]))
        return FileSize.of(self.device_text[0], MEMBER_BYTES_A_NODE * nodes)

    # -- host ---------------------------------------------------------------------------------------------------

    def _host(self, mask: Mask) -> Amount:
        return self._text(self.host_text, float(self.weight[mask].sum()), host_events=float(np.count_nonzero(mask)))

    # -- device -------------------------------------------------------------------------------------------------

    def _device(self, mask: Mask, *, with_instants: bool) -> Amount:
        """Events of the slices, and all instants of engines, for one launch."""
        trace, launches = self.trace, self.earlier.launches
        share = self.slice_share[trace.slices.track[mask]]
        events, weight = float(share.sum() * 2), float((self.weight[mask] * share).sum())
        if with_instants and len(trace.instants):
            marks = self.instant_share[trace.instants.track]
            if self.earlier.until_ns is not None:
                marks = marks * (trace.instants.time_ns < self.earlier.until_ns)
            events += float(marks.sum())
            weight += float(((_LINE_BYTES + trace.instants.args_length) * marks).sum())
        # Arrows lead to the first work of a launch or copy.
        arrows = 1.0 if with_instants else float(np.count_nonzero(mask)) / launches
        return self._text(self.device_text, weight / launches, device_events=events / launches, arrows=arrows if events else 0.0)

    def _text(self, text: tuple[TextSize, float], weight: float, **counts: float) -> Amount:
        size, sampled = text
        share = weight / sampled if sampled else 0.0
        json = size.json_events * share
        return Amount(**counts, json=json, packed=json * size.packing, csv=size.csv_events * share)

    def _measure(self, mask: Mask) -> tuple[TextSize, float]:
        """Text of a sample of those rows, and the weight of what is in it."""
        part = self._crop(mask)
        weight = float(_weights(part).sum() + (_LINE_BYTES + part.instants.args_length.astype(np.int64)).sum())
        return measure_text(part), weight

    def _crop(self, mask: Mask) -> Trace:
        """A stretch in the middle of those rows."""
        trace = self.trace
        rows = np.flatnonzero(mask)
        if not len(rows):
            return crop(trace, TimeRange(trace.span.start_ns, trace.span.start_ns))
        start = np.sort(trace.slices.start_ns[rows])
        first = max(0, (len(start) - SAMPLE_EVENTS // 2) // 2)
        last = min(len(start) - 1, first + SAMPLE_EVENTS // 2)
        within = TimeRange(int(start[first]), int(start[last]) + 1)
        tracks = [trace.tracks[t] for t in np.unique(trace.slices.track[rows]).tolist()]
        globs = [glob.escape(f"{trace.processes[t.process].name}/{t.name}") for t in tracks]
        return crop(trace, within, globs)

    def _shares(self, generation: Generation | None) -> tuple[F8, F8]:
        """Which share of its events each row sends with the configured units: of begin and end of slices, and of instants."""
        tracks = self.trace.tracks
        is_engine = np.zeros(len(tracks), np.float64)
        is_engine[np.unique(self.trace.slices.track[self.earlier.device])] = 1.0
        if not self.config.get("hw.enable"):
            return is_engine * 0, is_engine * 0
        if generation is None:
            self.notes.append("neither trace nor configuration says the generation: units that are off are not taken out.")
            return is_engine, is_engine
        probes = make_probes(generation, self.config)
        by_name = {e.name: e for e in generation.engines}
        slices, instants = is_engine.copy(), is_engine.copy()
        for place in np.flatnonzero(is_engine).tolist():
            engine = by_name.get(tracks[place].name)
            known = [engine] if engine is not None else [e for e in generation.engines if e.engine_class == tracks[place].engine]
            found = [_sent(probes, e) for e in known]
            slices[place] = float(np.mean([a for a, _ in found])) if found else 0.0
            instants[place] = float(np.mean([b for _, b in found])) if found else 0.0
        return slices, instants


def _sent(probes: dict[tuple[str, int], Probe], engine: Engine) -> tuple[float, float]:
    """Share of the begin and end signals, and of the instants, that the enabled units of an engine send."""
    probe = probes.get((engine.engine_class, engine.index))
    if probe is None:
        return 0.0, 0.0
    pairs = zip(probe.instrument.signals, probe.allowed, strict=True)
    edges: list[bool] = []
    marks: list[bool] = []
    for signal, is_allowed in pairs:
        (marks if signal.edge == "instant" else edges).append(is_allowed)
    return float(np.mean(edges)) if edges else 0.0, float(np.mean(marks)) if marks else 1.0


def _weights(trace: Trace) -> F8:
    """Bytes of text of each slice, roughly: begin and end with their names and arguments."""
    s = trace.slices
    used = np.unique(np.concatenate((s.name, s.cat)))
    length = np.zeros(len(trace.strings), np.float64)
    length[used] = [len(trace.strings[n]) for n in used.tolist()]
    lines = np.where((s.flags & BEGIN_END) != 0, 2.0, 1.0)
    weight = lines * (_LINE_BYTES + length[s.name]) + length[s.cat] + s.args_length
    weight[trace.end_args.slice] += trace.end_args.args_length
    return weight
