"""What to say about an estimate: what it assumes, where the plan goes wrong, and the way out."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from hlprof_core.config.invocation_range import InvocationRange
from hlprof_core.config.place import path_of
from hlprof_core.config.schema import DEFAULT_PHASE, ENQ, MULTI_ENQ, PROFILE_API
from hlprof_core.config.value_kind import Mebibytes
from hlprof_core.units import format_bytes

if TYPE_CHECKING:
    from hlprof_core.config.document import ProfConfig
    from hlprof_core.profiling.estimate.plan import PlannedCapture
    from hlprof_core.profiling.estimate.shape import RunShape

RANGES = (DEFAULT_PHASE, MULTI_ENQ, ENQ)
MANY_FILES = 1000


def overflow_remark(config: ProfConfig, captures: Sequence[PlannedCapture], needed: int, limit: int, first_lost: int | None) -> str:
    """From where on recording is lost, and what would do."""
    phase = config.get("hw.phase")
    ways = [f"a buffer of -b {-(-needed // (1 << 20))}"] if needed <= Mebibytes.LIMIT else []
    capture = next((c for c in captures if c.first and c.first <= (first_lost or 0) < c.first + c.launches), None)
    if first_lost is not None and capture is not None and first_lost > capture.first and phase != PROFILE_API:
        fitting = f"{capture.first}-{first_lost - 1}" if first_lost - 1 > capture.first else str(capture.first)
        ways.append(f"the range -g {fitting}" if phase in RANGES else f"-p multi-enq -g {fitting}")
    where = "recording" if first_lost is None else f"launch {first_lost} and what follows it"
    if phase in (ENQ, PROFILE_API) and first_lost is not None:
        where = f"the end of launch {first_lost}"
    way_out = " or ".join([*([", ".join(ways)] if ways else []), "fewer units"])
    size = f"it needs {format_bytes(needed)} of {format_bytes(limit)}"
    return f"the trace buffer overflows ({size}): {where} is lost; use {way_out}."


def plan_remarks(config: ProfConfig, shape: RunShape, chosen: Collection[int]) -> list[str]:
    """Where phase and run do not go together."""
    if not config.get("hw.enable"):
        return []
    phase, launches = config.get("hw.phase"), shape.launches
    if phase in RANGES:
        numbers = InvocationRange.parse(config.get("hw.range"))
        if numbers.first > launches:
            return [f"nothing is recorded: the range begins with launch {numbers.first}, but the run has {launches}; use -g 1-{launches}."]
        if numbers.last > launches:
            return [f"the range ends with launch {numbers.last}, but the run has {launches}; use -g {numbers.first}-{launches}."]
    if phase == PROFILE_API and not chosen:
        return ["nothing is recorded: the program starts no session; let it name iterations (--profile-iterations)."]
    return []


def output_remarks(config: ProfConfig, size_bytes: int, files: int) -> list[str]:
    """Where the files do not go together with the place for them."""
    found = []
    if files > MANY_FILES:
        found.append(f"{files} files: -p multi-enq writes one for the whole range.")
    folder = path_of(config.get("session.outdir")).absolute()
    place = next(parent for parent in (folder, *folder.parents) if os.path.isdir(parent))
    free = shutil.disk_usage(place).free
    if size_bytes > free:
        found.append(f"the files need {format_bytes(size_bytes)}, but {place} has {format_bytes(free)} left; use -o DIR, or record less.")
    return found
