"""What to say about an estimate: what it assumes, where the plan goes wrong, and the way out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from hlprof_core.config.invocation_range import InvocationRange
from hlprof_core.config.schema import DEFAULT_PHASE, DEVICE_ACQ, ENQ, MULTI_ENQ, PROFILE_API
from hlprof_core.units import format_bytes

if TYPE_CHECKING:
    from hlprof_core.config.document import ProfConfig
    from hlprof_core.profiling.estimate.plan import PlannedCapture
    from hlprof_core.profiling.estimate.shape import RunShape

RANGES = (DEFAULT_PHASE, MULTI_ENQ, ENQ)


def overflow_remark(config: ProfConfig, captures: Sequence[PlannedCapture], needed: int, limit: int, first_lost: int | None) -> str:
    """From where on recording is lost, and what would do."""
    phase = config.get("hw.phase")
    ways = [f"a buffer of -b {-(-needed // (1 << 20))}"]
    capture = next((c for c in captures if c.first and c.first <= (first_lost or 0) < c.first + c.launches), None)
    if first_lost is not None and capture is not None and first_lost > capture.first and phase != PROFILE_API:
        fitting = f"{capture.first}-{first_lost - 1}" if first_lost - 1 > capture.first else str(capture.first)
        ways.append(f"the range -g {fitting}" if phase in RANGES else f"-p multi-enq -g {fitting}")
    ways.append("fewer units")
    where = "recording" if first_lost is None else f"launch {first_lost} and what follows it"
    if phase in (ENQ, PROFILE_API) and first_lost is not None:
        where = f"the end of launch {first_lost}"
    size = f"it needs {format_bytes(needed)} of {format_bytes(limit)}"
    return f"the trace buffer overflows ({size}): {where} is lost; use {', '.join(ways[:-1])} or {ways[-1]}."


def plan_remarks(config: ProfConfig, shape: RunShape, chosen: Collection[int]) -> list[str]:
    """Where phase and run do not go together."""
    if not config.get("hw.enable"):
        return []
    phase, found = config.get("hw.phase"), []
    if phase in RANGES:
        last = InvocationRange.parse(config.get("hw.range")).last
        if last > shape.launches:
            found.append(f"the range ends with launch {last}, but the run has {shape.launches}; use -g 1-{shape.launches} or run longer.")
    if phase == PROFILE_API and not chosen:
        found.append("the program starts no session, so nothing is recorded; name iterations with --profile-iterations.")
    if phase == DEVICE_ACQ:
        found.append("the whole run is recorded: events grow with its iterations.")
    return found
