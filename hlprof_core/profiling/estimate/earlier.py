"""What an earlier trace tells of its program: how many launches it holds, and what each row recorded of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from hlprof_core.device import device_names, load_generation
from hlprof_core.trace.engines import ACCELERATOR
from hlprof_core.trace.table import I8

if TYPE_CHECKING:
    from hlprof_core.trace.model import Trace

_LAUNCHES = tuple(re.compile(p, re.DOTALL) for p in (r"synLaunch\w*", r"enqueueWithExternalEvents\w*\b.*", r"\w*Launch(Kernel|Recipe)\w*"))
_COPY_CALL = re.compile(r"syn[Mm]em[Cc](o)?py\w*")
_COPY = re.compile(r"pdma|memcpy|dma_(tx|rx)", re.IGNORECASE)
BUFFER_FULL = "trace buffer full"
Mask = npt.NDArray[np.bool_]


class Earlier(Struct, frozen=True):
    """Masks over the slices of the trace: ``device`` work of engines, ``copies`` of it those between host and device, ``host`` calls.

    ``launches``: how many the device work belongs to; ``host_launches``: how many the host made in all, 0 when the trace does not
    show its calls. ``until_ns``: device work from there on is incomplete and does not count, None: all is complete.
    """

    device: Mask
    copies: Mask
    host: Mask
    launch_ns: I8
    """When the host issued each launch, in order."""
    launches: float
    host_launches: int
    copy_calls: int
    """Copies that the host asked for, whether the device's work for them was recorded or not."""
    generation: str
    until_ns: int | None = None
    notes: list[str] = field(default_factory=list)


def look_at(trace: Trace) -> Earlier:
    """Reads columns only, no arguments."""
    slices, tracks = trace.slices, trace.tracks
    engine = np.array([t.engine in ACCELERATOR for t in tracks], bool)
    is_host = np.array([t.engine not in ACCELERATOR for t in tracks], bool)
    device, host = engine[slices.track], is_host[slices.track]
    copies = device & _named(trace, lambda name: _COPY.search(name) is not None)
    notes: list[str] = []
    launch_ns = _launch_calls(trace, host)
    until_ns = _full_since(trace)
    launches = _count_launches(trace, device, copies, launch_ns)
    if launches and not len(launch_ns):
        notes.append("the trace shows no launch calls: its launches were counted by what its engines repeat.")
    if not host.any():
        notes.append("the trace shows no calls of the host, so the estimate has none: record one with --host on.")
    if len(trace.counters):
        notes.append("counters of the trace are not counted: the model has none.")
    copy_calls = int(np.count_nonzero(host & _named(trace, lambda name: _COPY_CALL.fullmatch(name) is not None)))
    if until_ns is not None:
        starts = launch_work_starts(trace, device, launch_ns)
        whole = starts[starts < until_ns]
        if len(whole) > 1:
            # The buffer was full within the last launch that shows anything: only those before it are complete.
            until_ns, launches = int(whole[-1]), float(len(whole) - 1)
            notes.append(f"the trace's buffer was full: only its first {len(whole) - 1} launches count.")
        else:
            until_ns = None
            notes.append("the trace's buffer was full within its first launch: the real figures are higher.")
    generation = _generation(trace)
    return Earlier(device, copies, host, launch_ns, launches, len(launch_ns), copy_calls, generation, until_ns, notes)


def _named(trace: Trace, accepts: Callable[[str], bool]) -> Mask:
    """Slices whose name is accepted; each name is looked at once."""
    names = np.unique(trace.slices.name)
    accepted = np.zeros(len(trace.strings), bool)
    accepted[[n for n in names.tolist() if accepts(trace.strings[n])]] = True
    return np.asarray(accepted[trace.slices.name], np.bool_)


def _launch_calls(trace: Trace, host: Mask) -> I8:
    """Start of each launch call: those of the outermost name that there is."""
    for pattern in _LAUNCHES:
        calls = host & _named(trace, lambda name, p=pattern: p.fullmatch(name) is not None)  # type: ignore[misc]
        if calls.any():
            return np.sort(trace.slices.start_ns[calls])
    return np.empty(0, np.int64)


def launch_work_starts(trace: Trace, device: Mask, launch_ns: I8) -> I8:
    """When the device began each launch, as the arrows tell; one entry for each launch call that an arrow leaves."""
    flows, slices = trace.flows, trace.slices
    if not len(flows) or not len(launch_ns):
        return np.empty(0, np.int64)
    to_device = device[flows.to_slice] & ~device[flows.from_slice]
    issued, begun = slices.start_ns[flows.from_slice[to_device]], slices.start_ns[flows.to_slice[to_device]]
    # The arrow may leave from a call inside the launch call: it belongs to the launch before it.
    number = np.searchsorted(launch_ns, issued, side="right") - 1
    is_call = _named(trace, lambda name: any(p.fullmatch(name) for p in _LAUNCHES))[flows.from_slice[to_device]]
    seen: dict[int, int] = {}
    for which, at in zip(number[is_call].tolist(), begun[is_call].tolist(), strict=True):
        seen[which] = min(at, seen.get(which, at))
    return np.sort(np.array(list(seen.values()), np.int64))


def _count_launches(trace: Trace, device: Mask, copies: Mask, launch_ns: I8) -> float:
    """Launches that the device work belongs to, as arrows, what recurs, or the times of the calls tell."""
    if not device.any():
        return 0.0
    by_arrow = len(launch_work_starts(trace, device, launch_ns))
    if by_arrow:
        return float(by_arrow)
    recurring = _by_recurrence(trace, device & ~copies)
    called = _by_calls(trace, device, launch_ns)
    # The host is a launch ahead of the device, so its calls alone may count one too many.
    return recurring if not called or abs(called - recurring) <= 1 else called


def _by_calls(trace: Trace, device: Mask, launch_ns: I8) -> float:
    """Launches that were issued while the device worked; 0 without calls."""
    if not len(launch_ns):
        return 0.0
    start = trace.slices.start_ns[device]
    first, last = int(start.min()), int(start.max())
    # The call of the first work came before it; calls behind the last work have none in the trace.
    before = max(0, int(np.searchsorted(launch_ns, first, side="right")) - 1)
    within = int(np.searchsorted(launch_ns, last, side="right")) - before
    return float(max(1, within))


def _by_recurrence(trace: Trace, work: Mask) -> float:
    """How often what occurs least on each row occurs, in the middle of all rows: nodes that are not sliced occur once a launch."""
    rows = np.flatnonzero(work)
    if not len(rows):
        return 0.0
    slices = trace.slices
    keys = (slices.track[rows].astype(np.int64) << 32) | slices.name[rows]
    kinds, counts = np.unique(keys, return_counts=True)
    least: dict[int, list[int]] = {}
    for track, count in zip((kinds >> 32).tolist(), counts.tolist(), strict=True):
        least.setdefault(track, []).append(count)
    return float(np.quantile([np.quantile(c, 0.25, method="lower") for c in least.values()], 0.5, method="lower"))


def _full_since(trace: Trace) -> int | None:
    """When the trace's own buffer was full."""
    instants = trace.instants
    for name in np.unique(instants.name).tolist():
        if trace.strings[name] == BUFFER_FULL:
            return int(instants.time_ns[instants.name == name].min())
    return None


def _generation(trace: Trace) -> str:
    """Which generation the trace is of, as it says itself or as its rows are named; or ""."""
    about = trace.origin.properties.get("hlprof")
    if isinstance(about, dict) and about.get("arch"):
        return str(about["arch"])
    listed = trace.origin.properties.get("deviceProperties")
    first = listed[0] if isinstance(listed, list) and listed else None
    name = str(first.get("name", "")) if isinstance(first, dict) else ""
    if (found := re.search(r"gaudi\s*([23]?)", name, re.IGNORECASE)) is not None:
        return f"gaudi{found[1]}"
    rows = {track.name for track in trace.tracks}
    matches = {g: len(rows & {engine.name for engine in load_generation(g).engines}) for g in device_names()}
    best = max(matches, key=lambda g: matches[g])
    return best if matches[best] and list(matches.values()).count(matches[best]) == 1 else ""
