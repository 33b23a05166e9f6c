"""Traps of a valid configuration: what will not happen as somebody may expect, each with the options that lead out."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

from msgspec import Struct

from hlprof_core.config.bracket_list import split_groups
from hlprof_core.config.document import ProfConfig
from hlprof_core.config.invocation_range import InvocationRange
from hlprof_core.config.leaf import flatten
from hlprof_core.config.schema import DEVICE_ACQ, ENQ, MULTI_ENQ, PROFILE_API, all_settings, list_members
from hlprof_core.config.spmu_event import spmu_events
from hlprof_core.config.templates import templates
from hlprof_core.config.unit_tree import GENERATIONS, unit_tree
from hlprof_core.config.value_kind import MEBIBYTES

SMALL_BUFFER = 256 << 20
_TABLES = ("analyzer.json", "analyzer.csv", "analyzer.xlsx")


class Trap(Struct, frozen=True):
    """``settings``: ids of what is involved. ``words`` are options of ``hl-prof-config`` that lead out; empty when only a person knows."""

    id: str
    reason: str
    settings: tuple[str, ...]
    words: tuple[str, ...] = ()
    advice: str = ""
    """What to do, where ``words`` alone do not say it."""

    @property
    def text(self) -> str:
        """One line for a person: what, and the way out."""
        return f"{self.reason}; {self.advice or f'use {shlex.join(self.words)}'}."


def traps(config: ProfConfig) -> list[Trap]:
    """The traps that ``config`` sets; its values must be valid (``validate.check``)."""
    return [trap for find in _FINDERS for trap in find(config)]


def _nothing(config: ProfConfig) -> Iterator[Trap]:
    if not config.get("hw.enable") and not config.get("host.enable"):
        reason = "host and hardware trace are both off: nothing will be recorded"
        yield Trap("nothing", reason, ("host.enable", "hw.enable"), ("--host", "on"), "use --host on or --hw-trace on")


def _overlap(config: ProfConfig) -> Iterator[Trap]:
    if config.get("hw.enable") and config.get("hw.phase") == ENQ:
        reason = "phase enq waits after each launch, so overlap is not what the program really has"
        yield Trap("overlap", reason, ("hw.phase",), ("-p", MULTI_ENQ), f"-p {MULTI_ENQ} keeps it")


def _small_buffer(config: ProfConfig) -> Iterator[Trap]:
    size = config.get("hw.buffer_bytes")
    if config.get("hw.enable") and config.get("hw.phase") == DEVICE_ACQ and size < SMALL_BUFFER:
        reason = f"phase device-acq with a buffer of {MEBIBYTES.tell(size)} may fill before the end"
        yield Trap("small_buffer", reason, ("hw.buffer_bytes", "hw.phase"), ("-b", "256"), "use -b 256 or more")


def _host_always(config: ProfConfig) -> Iterator[Trap]:
    if config.get("hw.phase") == PROFILE_API and config.get("host.enable") and not config.get("host.start_disabled"):
        reason = "the program starts and stops the hardware trace, but host calls are recorded all the time"
        yield Trap("host_always", reason, ("host.start_disabled", "hw.phase"), ("-i",), "use -i, which means both")


def _host_never(config: ProfConfig) -> Iterator[Trap]:
    phase = config.get("hw.phase")
    if phase != PROFILE_API and config.get("host.enable") and config.get("host.start_disabled"):
        reason = f"host calls wait for a session, which phase {phase} never starts"
        yield Trap("host_never", reason, ("host.start_disabled", "hw.phase"), ("-p", phase), f"use -p {phase}, which sets both, or -i")


def _idle_range(config: ProfConfig) -> Iterator[Trap]:
    phase = config.get("hw.phase")
    if config.get("hw.enable") and config.is_stored("hw.range") and phase in (PROFILE_API, DEVICE_ACQ):
        reason = f"phase {phase} has no use for a range of launches"
        advice = f"use --reset hw.range, or -p {MULTI_ENQ} to record these launches"
        yield Trap("idle_range", reason, ("hw.range", "hw.phase"), ("--reset", "hw.range"), advice)


def _no_launch(config: ProfConfig) -> Iterator[Trap]:
    phase = config.get("hw.phase")
    if config.get("hw.enable") and phase not in (PROFILE_API, DEVICE_ACQ) and InvocationRange.parse(config.get("hw.range")).last == 0:
        yield Trap("no_launch", "the range ends at 0, but launches count from 1: none is recorded", ("hw.range",), ("-g", "1"))


def _analyzer(config: ProfConfig) -> Iterator[Trap]:
    wanted = tuple(name for name in _TABLES if config.get(name))
    if wanted and not config.get("hw.enable"):
        yield Trap("analyzer_hardware", "the trace analyzer needs the hardware trace", (*wanted, "hw.enable"), ("--hw-trace", "on"))
    if wanted and not config.get("analyzer.enable"):
        reason = "tables of the trace analyzer are asked for, but it is not allowed"
        yield Trap("analyzer_off", reason, (*wanted, "analyzer.enable"), ("--reset", "analyzer.enable"))


def _merged(config: ProfConfig) -> Iterator[Trap]:
    members = list_members("merged").values()
    ids = tuple(entry.id for entry in members)
    chosen = [entry.id for entry in members if config.get(entry.id)]
    if config.get("host.enable") and not chosen and config.get("output.json_compressed") == "off":
        advice = "use --merged hltv, json or csv"
        yield Trap("not_merged", "no merged format is chosen: the host's calls are not written", ids, ("--merged", "hltv"), advice)
    if not config.get("host.enable") and any(config.is_stored(name) for name in chosen):
        reason = "the host profiler writes the merged file, and it is off: the hardware trace gets a file of its own"
        advice = "use --host on, or choose that file's format with --invoc"
        yield Trap("merged_host", reason, ("host.enable", *chosen), ("--host", "on"), advice)


def _no_calls(config: ProfConfig) -> Iterator[Trap]:
    groups = [entry.id for entry in all_settings().values() if entry.id.startswith("host.api.")]
    if config.get("host.enable") and not any(config.get(name) for name in groups):
        yield Trap("no_calls", "every group of host calls is off: the host records none", tuple(groups), ("--reset", "host.api.*"))


def _other_generation(config: ProfConfig) -> Iterator[Trap]:
    generation = config.get("hw.arch")
    if not generation or not config.get("hw.enable"):
        return
    # Templates hold the units of every generation.
    usual = {path: value for entry in templates().values() for path, value in flatten(entry.config().raw).items()}
    stored = flatten(config.raw)
    for other in GENERATIONS:
        units = [entry for entry, _ in config.differences() if entry.generation == other != generation]
        odd = tuple(entry.id for entry in units if entry.path not in usual or usual[entry.path] != stored[entry.path])
        # `--nic on` before the target was named means the ports of every generation.
        if [name for name in odd if name != f"units.{other}.NIC"]:
            reason = f"units of {other} are set, but the target is {generation}: they have no effect"
            names = [f"units.{other}.*", *(name for name in odd if not name.startswith("units."))]
            words = tuple(word for name in names for word in ("--reset", name))
            yield Trap("other_generation", reason, odd, words, f"use --{other}, or {shlex.join(words)}")


def _no_units(config: ProfConfig) -> Iterator[Trap]:
    generation = config.get("hw.arch")
    if not generation or not config.get("hw.enable"):
        return
    groups = unit_tree(generation).groups
    if not any(config.is_unit_on(generation, group.name, unit) for group in groups for unit in group.units or ("",)):
        ids = tuple(f"units.{generation}.{group.name}" for group in groups)
        reason = f"every trace unit of {generation} is off: the hardware trace stays empty"
        yield Trap("no_units", reason, ids, ("--reset", f"units.{generation}.*"))


def _counters(config: ProfConfig) -> Iterator[Trap]:
    for generation in GENERATIONS:
        for entry in unit_tree(generation).lists:
            setting_id = f"units.{generation}.{entry.flag}"
            known = {event.id for event in spmu_events(generation, entry.flag)}
            if not known or not config.is_stored(setting_id) or not config.get(setting_id):
                continue
            strange = [number for number in split_groups(config.get(setting_id), 2)[0] if int(number) not in known]
            if strange:
                advice = f"`hl-prof-config --explain {entry.flag}` lists {min(known)} to {max(known)}"
                yield Trap("counters", f"--{entry.flag}: no event {', '.join(strange)} is known", (setting_id,), (), advice)


_FINDERS: tuple[Callable[[ProfConfig], Iterator[Trap]], ...] = (
    _nothing,
    _overlap,
    _small_buffer,
    _host_always,
    _host_never,
    _idle_range,
    _no_launch,
    _analyzer,
    _merged,
    _no_calls,
    _other_generation,
    _no_units,
    _counters,
)
