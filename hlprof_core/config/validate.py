"""What is wrong with a configuration, and which traps it sets; each line says the way out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hlprof_core.config.document import ProfConfig
from hlprof_core.config.leaf import keys_of
from hlprof_core.config.schema import DEVICE_ACQ, ENQ, PROFILE_API, all_settings, list_members
from hlprof_core.config.setting import HOST, HW, OWN
from hlprof_core.config.unit_tree import GENERATIONS
from hlprof_core.errors import ConfigInvalid

SMALL_BUFFER = 256 << 20


def invalid_values(config: ProfConfig) -> list[str]:
    """Known settings whose stored value cannot be read, one line each."""
    problems: list[str] = []
    for entry in all_settings().values():
        try:
            config.stored(entry)
        except ConfigInvalid as error:
            problems += error.problems
    return problems


def check(config: ProfConfig) -> None:
    """Raise ``ConfigInvalid`` with every value that cannot be used."""
    problems = invalid_values(config)
    if problems:
        raise ConfigInvalid(config.where, problems, hint="Correct the file, or start over with `hl-prof-config -e off`.")


def unknown_keys(config: ProfConfig) -> list[str]:
    """Leaves and plugins we know nothing of; they are kept as they are."""
    known: dict[str, set[tuple[str, ...]]] = {}
    for entry in all_settings().values():
        known.setdefault(entry.path[0], set()).add(keys_of(entry))
    found = [key for key in config.raw if key not in ("GeneralSettings", "Plugins", OWN)]
    for section in ("GeneralSettings", OWN):
        values = config.raw.get(section, {}).get("values", {})
        found += [f"{section}.{'.'.join(path)}" for path in leaves(values) if path not in known.get(section, set())]
    for plugin in config.raw.get("Plugins", []):
        name = plugin["name"]
        if name not in (HOST, HW):
            found.append(f"plugin {name}")
            continue
        found += [f"{name}.{'.'.join(path)}" for path in leaves(plugin.get("values", {})) if path not in known[name]]
    return found


def leaves(tree: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Paths of all leaves of a tree of values."""
    for key, value in tree.items():
        if isinstance(value, dict) and "value" not in value:
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key)


def warnings(config: ProfConfig) -> list[str]:
    """Traps of a valid configuration."""
    found = []
    hardware, host = config.get("hw.enable"), config.get("host.enable")
    phase, generation = config.get("hw.phase"), config.get("hw.arch")
    if not hardware and not host:
        found.append("host and hardware trace are both off: nothing will be recorded; use --host on or --hw-trace on.")
    if hardware and phase == ENQ:
        found.append("phase enq waits after each launch, so overlap is not what the program really has; multi-enq keeps it.")
    if hardware and phase == DEVICE_ACQ and config.get("hw.buffer_bytes") < SMALL_BUFFER:
        found.append("phase device-acq with a buffer under 256 MiB may fill before the end; use -b 256 or more.")
    if phase == PROFILE_API and host and not config.get("host.start_disabled"):
        found.append("the program controls the hardware trace, but host calls are recorded all the time; use -i to control both.")
    if phase != PROFILE_API and config.get("host.start_disabled"):
        found.append("host calls wait for a session that this phase never starts; set the phase with -p or -i.")
    if not hardware and any(config.get(f"analyzer.{name}") for name in ("json", "csv", "xlsx")):
        found.append("the trace analyzer needs the hardware trace; use --hw-trace on.")
    is_merged = any(config.get(entry.id) for entry in list_members("merged").values()) or config.get("output.json_compressed") != "off"
    if host and not is_merged:
        found.append("no merged format is chosen: the host's calls are not written; use --merged hltv, json or csv.")
    found += [
        f"units of {other} are set, but the target is {generation}: they have no effect."
        for other in GENERATIONS
        if generation and other != generation and any(e.generation == other and not e.id.endswith("NIC") for e, _ in _set_flags(config))
    ]
    return found


def _set_flags(config: ProfConfig) -> list[tuple[Any, Any]]:
    """Unit settings chosen by hand: those that an option can set (templates hold the units of every generation)."""
    return [(entry, value) for entry, value in config.differences() if entry.generation and entry.flags]
