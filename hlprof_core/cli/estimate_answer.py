"""``hl-prof-config --estimate``: what a recording will be like, as a short table, and the one trap that shows only in a count."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hlprof_core.config.document import ProfConfig
from hlprof_core.config.invocation_range import InvocationRange
from hlprof_core.config.option import USUAL_WORKLOAD
from hlprof_core.config.place import path_of
from hlprof_core.config.schema import DEVICE_ACQ, ENQ, MEM, PROFILE_API
from hlprof_core.units import format_bytes, format_ns

if TYPE_CHECKING:
    from hlprof_core.profiling.estimate import Estimate

MEBIBYTE = 1 << 20
_USUAL_LAUNCHES = 10
"""What the usual workload runs by itself."""


def show_estimate(config: ProfConfig, workload: str, like: str) -> None:
    """Print the estimate for a workload, or from the trace that ``like`` names."""
    from hlprof_core import services
    from hlprof_core.errors import UsageError

    if like and workload not in ("", USUAL_WORKLOAD):
        raise UsageError(f"--like {like} is a trace of its own program.", hint=f"Leave the workload {workload!r} out.")
    print(estimate_text(services.estimate(config, workload or USUAL_WORKLOAD, like=path_of(like) if like else None)))


def overflow_note(config: ProfConfig) -> list[str]:
    """The warning that the planned range does not fit into the trace buffer, going by the usual workload; empty when it fits."""
    if not may_overflow(config):
        return []
    from hlprof_core import services

    found = services.estimate(config, USUAL_WORKLOAD)
    if not found.lost_events:
        return []
    return [f"{found.notes[0].rstrip('.')} (for {USUAL_WORKLOAD}; --estimate tells of other workloads and of --like FILE)."]


def overflow_of(config: ProfConfig, words: Sequence[str], device: str | None) -> list[str]:
    """The same for a run of a workload; empty, too, where the words are wrong, as the workload itself will say.

    ``device``: where the workload runs when its words do not say so; the target of the configuration moves no program."""
    from hlprof_core import services
    from hlprof_core.errors import HlprofError
    from hlprof_core.workloads.command import parse_command

    if not words or words[0].startswith("-") or {"-h", "--help"} & set(words):
        return []
    try:
        command = parse_command(words)
        found = services.estimate(config, shlex.join(words), device=command.device or device or command.device_here)
    except HlprofError:
        return []
    return [found.notes[0]] if found.lost_events else []


def may_overflow(config: ProfConfig) -> bool:
    """Whether it is worth counting. A launch of the usual workload takes less than a MiB on every generation."""
    phase = config.get("hw.phase")
    if not config.get("hw.enable") or phase == MEM:
        return False
    spans = InvocationRange.parse(config.get("hw.range")).spans
    launches = max(last - first + 1 for first, last in spans)
    if phase in (DEVICE_ACQ, ENQ, PROFILE_API):
        launches = _USUAL_LAUNCHES if phase == DEVICE_ACQ else 1
    return bool(launches * MEBIBYTE > config.get("hw.buffer_bytes"))


def estimate_text(found: Estimate) -> str:
    """The estimate for a terminal."""
    fill = f"{format_bytes(found.buffer_bytes)} of {format_bytes(found.buffer_limit_bytes)}"
    share = f"{100 * found.buffer_fill:.3g} %" if found.buffer_fill < 10 else f"{found.buffer_fill:.0f} times"
    captures = f" in {number(found.captures)} captures, the fullest counts for the buffer" if found.captures > 1 else ""
    lines = [
        f"Estimate {'' if found.basis.startswith('like ') else 'for '}{found.basis}",
        "",
        f"  {'launches recorded':20}{number(found.launches):>12}{captures}",
        f"  {'hardware events':20}{number(found.device_events):>12}"
        + (f"   and {number(found.lost_events)} lost" if found.lost_events else ""),
        f"  {'host events':20}{number(found.host_events):>12}",
        f"  {'trace buffer':20}{share:>12}   {fill}" + (": it overflows" if found.lost_events else ""),
        f"  {'time to write':20}{duration(found.post_processing_ns):>12}",
        f"  {'files':20}{format_bytes(found.total_bytes):>12}" + ("" if found.file_bytes else "   none is written"),
    ]
    width = max((len(name) for name in found.file_bytes), default=0)
    for name, size in found.file_bytes.items():
        count = found.file_counts.get(name, 1)
        lines.append(f"    {name:{width}}  {format_bytes(size):>10}" + (f"   {number(count)} files" if count > 1 else ""))
    return "\n".join([*lines, "", *(f"- {note[:1].upper()}{note[1:]}" for note in found.notes)])


def duration(ns: int) -> str:
    """Two digits are all that is known."""
    for unit, size_s in (("days", 86_400), ("h", 3600), ("min", 60)):
        if ns > 2 * size_s * 1_000_000_000:
            return f"{ns / size_s / 1e9:.0f} {unit}"
    return format_ns(ns, digits=2)


def number(value: int) -> str:
    """With blanks between thousands."""
    return f"{value:,}".replace(",", " ")
