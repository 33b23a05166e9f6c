"""Which files a configuration will write, by name, before anything runs."""

from __future__ import annotations

from msgspec import Struct

from hlprof_core.config.document import ProfConfig
from hlprof_core.config.invocation_range import InvocationRange
from hlprof_core.config.schema import DEVICE_ACQ, ENQ, MEM, PROFILE_API
from hlprof_core.device import DEFAULT, load_generation
from hlprof_core.profiling.outputs import hardware_files, merged_files

PID = 12345
"""Process id in the shown names."""
SHOWN_INVOCATIONS = 3
EXAMPLE_SESSIONS = 2


class FileName(Struct, frozen=True):
    """``content``: what the file holds, in a few words."""

    name: str
    content: str


class FileNames(Struct, frozen=True):
    """``more``: how many further files of invocations there will be that are not listed."""

    folder: str
    files: tuple[FileName, ...]
    more: int
    remarks: tuple[str, ...]


def expected_files(config: ProfConfig, wall_s: float) -> FileNames:
    """The files of a run that starts now; the values must be valid. Names follow the rules of the recorder itself."""
    host, hardware = bool(config.get("host.enable")), bool(config.get("hw.enable"))
    is_merged = host and (bool(config.get("hw.merge_with_host")) or not hardware)
    together = "host and device together" if hardware and is_merged else "calls of the host"
    files = [FileName(file.path.name, together) for file in (merged_files(config, pid=PID, wall_s=wall_s) if host else ())]
    remarks, more = [], 0
    if any(f"_{PID}" in file.name for file in files):
        remarks.append(f"{PID} stands for the process id.")
    if "#" in config.get("session.name"):
        remarks.append("The time is that of the recording.")
    if hardware:
        labels, count = invocations(config)
        device = f"{load_generation(config.get('hw.arch') or DEFAULT).device_prefix}0"
        listed = hardware_files(config, [label for label, _ in labels], device=device, wall_s=wall_s, is_alone=not is_merged)
        for file in listed:
            content = labels[file.capture or 0][1] + (", with the host's calls" if file.with_host else "")
            files.append(FileName(file.path.name, content))
        more = len(listed) // len(labels) * (count - len(labels))
        if listed and config.get("hw.phase") == PROFILE_API:
            remarks.append("One for each session that the program starts.")
    return FileNames(config.get("session.outdir"), tuple(files), more, tuple(remarks))


def invocations(config: ProfConfig) -> tuple[list[tuple[str, str]], int]:
    """Label and content of the first captures of the hardware trace, and how many captures there will be."""
    phase = config.get("hw.phase")
    if phase == DEVICE_ACQ:
        return [("", "the whole run of the device")], 1
    if phase == PROFILE_API:
        return [(str(n), f"session {n}") for n in range(1, EXAMPLE_SESSIONS + 1)], EXAMPLE_SESSIONS
    numbers = InvocationRange.parse(config.get("hw.range"))
    if phase in (ENQ, MEM):
        what = "launch" if phase == ENQ else "copy"
        spans = [(max(1, first), last) for first, last in numbers.spans if last >= 1]
        count = sum(last - first + 1 for first, last in spans)
        firsts = [n for first, last in spans for n in range(first, min(last, first + SHOWN_INVOCATIONS - 1) + 1)]
        return [(f"{n:03}", f"{what} {n}") for n in firsts[:SHOWN_INVOCATIONS]], count
    found = []
    for first, last in numbers.spans:
        label = str(last) if first == last else f"{max(1, first)}-{last}"
        found.append((label, f"launch {label}" if first == last else f"launches {label}"))
    return found[:SHOWN_INVOCATIONS], len(found)
