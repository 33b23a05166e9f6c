"""From the shape of a run and the captures of a phase to an estimate: what is kept, what each file will hold."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from hlprof_core.config.schema import PROFILE_API
from hlprof_core.profiling.buffer import EVENT_BYTES
from hlprof_core.profiling.estimate import cost
from hlprof_core.profiling.estimate.amount import NOTHING, Amount, total
from hlprof_core.profiling.estimate.estimate import Estimate
from hlprof_core.profiling.estimate.plan import MANY, PlannedCapture, last_that_fits, plan_captures
from hlprof_core.profiling.estimate.remarks import output_remarks, overflow_remark, plan_remarks
from hlprof_core.profiling.outputs import OutputFile, hardware_files, merged_files, session_prefix

if TYPE_CHECKING:
    from hlprof_core.config.document import ProfConfig
    from hlprof_core.profiling.estimate.sample import FileSize
    from hlprof_core.profiling.estimate.shape import RunShape

PID_MARK, TIME_MARK = "<pid>", "<time>"


class Ingredients(Struct, frozen=True):
    """What an estimate is made of.

    ``chosen``: iterations that the program records by itself. ``file``: what a file with launches has once, ``file_of_copies`` one
    with copies only, ``file_of_calls`` one of the host. ``session``: the slice of a session; ``wait``: the call that waits for the
    device at its border; ``arrow``: one arrow.
    """

    shape: RunShape
    chosen: Collection[int]
    file: FileSize
    file_of_copies: FileSize
    file_of_calls: FileSize
    session: Amount
    wait: Amount
    arrow: Amount
    device: str


def assemble(config: ProfConfig, parts: Ingredients, basis: str, notes: Sequence[str]) -> Estimate:
    """The estimate for a configuration."""
    limit = int(config.get("hw.buffer_bytes"))
    capacity = max(1, limit // EVENT_BYTES)
    captures = plan_captures(config, parts.shape, parts.chosen)
    kept = [_kept(capture, capacity) for capture in captures]
    host = host_amount(config, parts)
    recorded = total(amount * capture.count for amount, capture in zip(kept, captures, strict=True))
    wanted = total(capture.amount * capture.count for capture in captures)
    needed = max((round(c.amount.device_events) * EVENT_BYTES for c in captures), default=0)
    files = _files(config, parts, captures, kept, host)
    device_events, host_events = round(recorded.device_events), round(host.host_events)
    lost = max(0, round(wanted.device_events) - device_events)
    first_lost = _first_lost(parts.shape, captures, capacity) if lost else None
    size = sum(round(size) for size, _, _ in files.values())
    traps = [overflow_remark(config, captures, needed, limit, first_lost)] if lost else []
    traps += plan_remarks(config, parts.shape, parts.chosen)
    traps += output_remarks(config, size, sum(count for _, count, _ in files.values()))
    return Estimate(
        launches=sum(c.launches * c.count for c in captures),
        host_events=host_events,
        device_events=device_events,
        events=device_events + host_events,
        buffer_bytes=needed,
        buffer_limit_bytes=limit,
        buffer_fill=needed / limit,
        first_lost_launch=first_lost,
        file_bytes={name: round(size) for name, (size, _, _) in files.items()},
        total_bytes=size,
        post_processing_ns=round(_composing(config, captures, kept, host) + sum(ns for _, _, ns in files.values())),
        basis=basis,
        notes=(*traps, *notes),
        lost_events=lost,
        captures=sum(c.count for c in captures),
        file_counts={name: count for name, (_, count, _) in files.items()},
    )


def host_amount(config: ProfConfig, parts: Ingredients) -> Amount:
    """What the host's side of the recording holds."""
    if not config.get("host.enable"):
        return NOTHING
    shape, is_api = parts.shape, config.get("hw.phase") == PROFILE_API
    places = shape.places(parts.chosen) if is_api else {}
    sessions = sum(places.values())
    if config.get("host.start_disabled"):
        return shape.sum_iterations(places, lambda i: i.host) + (parts.wait + parts.session) * sessions
    every = shape.sum_iterations(shape.fold(1, shape.iterations), lambda i: i.host)
    # A session waits for the device before it starts and before it stops.
    return parts.shape.outside + every + (parts.wait * 2 + parts.session) * sessions


def _kept(capture: PlannedCapture, capacity: int) -> Amount:
    """What of a capture finds room in its buffer."""
    wanted = capture.amount.device_events
    return capture.amount if wanted <= capacity else capture.amount * (capacity / wanted)


def _first_lost(shape: RunShape, captures: Sequence[PlannedCapture], capacity: int) -> int | None:
    """The first launch whose events do not all find room; None when only copies are captured."""
    for capture in captures:
        if round(capture.amount.device_events) > capacity and capture.first:
            last = capture.first + capture.launches - 1
            return min(last, 1 + last_that_fits(shape, capture.first, last, capacity)) if capture.launches > 1 else capture.first
    return None


Sized = tuple[float, int, float]
"""Bytes, number of files, ns to write them."""


def _files(
    config: ProfConfig, parts: Ingredients, captures: Sequence[PlannedCapture], kept: Sequence[Amount], host: Amount
) -> dict[str, Sized]:
    has_hardware, has_host = bool(config.get("hw.enable")), bool(config.get("host.enable"))
    is_merged = has_host and (bool(config.get("hw.merge_with_host")) or not has_hardware)
    has_arrows = bool(config.get("hw.flows")) and host.host_events > 0
    wall_s = time.time()
    is_busy = bool(config.get("hw.recipe_busy"))
    once = parts.file if any(c.launches for c in captures) else parts.file_of_copies
    found: dict[str, Sized] = {}

    def add(file: OutputFile, amount: Amount, count: int, once: FileSize = once) -> None:
        name = _pattern(config, file.path.name, wall_s)
        size, ns = _file_size(name, once, amount, has_events=not is_busy)
        old = found.get(name, (0.0, 0, 0.0))
        found[name] = (old[0] + size * count, old[1] + count, old[2] + ns * count)

    if has_host:
        held = total(amount * c.count for amount, c in zip(kept, captures, strict=True)) if is_merged else NOTHING
        arrows = parts.arrow * held.arrows if has_arrows else NOTHING
        head = once if is_merged and has_hardware else replace(parts.file_of_calls, members=once.members)
        for file in merged_files(config, pid=PID_MARK, wall_s=wall_s):
            add(file, held + host + arrows, 1, head)
    if has_hardware:
        many = sum(c.count for c in captures) > 1
        for capture, amount in zip(captures, kept, strict=True):
            label = MANY if many and capture.label else capture.label
            for file in hardware_files(config, [label], device=parts.device, wall_s=wall_s, is_alone=not is_merged):
                arrows = parts.arrow * amount.arrows if has_arrows else NOTHING
                add(file, amount + host + arrows if file.with_host else amount, capture.count)
    return found


def _file_size(name: str, once: FileSize, amount: Amount, *, has_events: bool) -> tuple[float, float]:
    """Bytes of a file, and ns to write it. ``has_events``: hardware events are drawn, not only counted."""
    shown = amount if has_events else replace(amount, device_events=0.0)
    if name.endswith(".csv"):
        return once.csv + amount.csv, cost.csv_ns(shown)
    json = once.json + amount.json
    if name.endswith(".json"):
        return json, cost.json_ns(shown)
    members = once.members if name.endswith(".hltv") else 0.0
    return once.packed + amount.packed + members, cost.json_ns(shown) + cost.pack_ns(json)


def _composing(config: ProfConfig, captures: Sequence[PlannedCapture], kept: Sequence[Amount], host: Amount) -> float:
    """Ns to make the traces that the files are written of: the merged one, and one of each capture that gets its own."""
    if config.get("hw.recipe_busy"):
        return cost.compose_ns(host)
    device = total(amount * c.count for amount, c in zip(kept, captures, strict=True))
    is_merged = bool(config.get("host.enable")) and bool(config.get("hw.merge_with_host"))
    per_capture = any(hardware_files(config, [MANY], device="", wall_s=0.0, is_alone=not is_merged))
    return cost.compose_ns(device) * (is_merged + per_capture) + cost.compose_ns(host)


def _pattern(config: ProfConfig, name: str, wall_s: float) -> str:
    """The file's name with what only the run knows left open."""
    if "#" not in config.get("session.name"):
        return name
    plain = config.get("session.name").replace("#", "")
    return name.replace(session_prefix(config, wall_s), f"{plain}_{TIME_MARK}", 1)
