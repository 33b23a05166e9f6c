"""What is wrong with a configuration, what in it is not known here, and which traps it sets."""

from __future__ import annotations

from hlprof_core.config.document import ProfConfig
from hlprof_core.config.leaf import KeyPath, flatten, key_text
from hlprof_core.config.schema import all_settings
from hlprof_core.config.setting import ENABLE, GENERAL, HOST, HW, OWN, Setting
from hlprof_core.config.trap import traps
from hlprof_core.errors import ConfigInvalid

_OWN_FIELDS = {(plugin, field) for plugin in (HOST, HW) for field in (ENABLE, "@lib", "@name")}


def invalid_settings(config: ProfConfig) -> list[tuple[Setting, str]]:
    """Known settings whose stored value cannot be read, each with what is wrong."""
    found: list[tuple[Setting, str]] = []
    for entry in all_settings().values():
        try:
            config.stored(entry)
        except ConfigInvalid as error:
            found += [(entry, problem) for problem in error.problems]
    return found


def invalid_values(config: ProfConfig) -> list[str]:
    """One line for each known setting whose stored value cannot be read."""
    return [problem for _, problem in invalid_settings(config)]


def check(config: ProfConfig) -> None:
    """Raise ``ConfigInvalid`` with every value that cannot be used."""
    problems = invalid_values(config)
    if problems:
        raise ConfigInvalid(config.where, problems, hint="Repair it with --set or --reset, or start over with -e off.")


def unknown_paths(config: ProfConfig) -> list[KeyPath]:
    """Values and plugins we know nothing of, in the order of the file; they are kept as they are."""
    known = {entry.path for entry in all_settings().values()} | _OWN_FIELDS
    found: dict[KeyPath, None] = {}
    for path in flatten(config.raw):
        is_foreign = len(path) > 1 and path[0] not in (GENERAL, OWN, HOST, HW)
        if is_foreign:
            found[path[0], "@name"] = None
        elif path not in known:
            found[path] = None
    return list(found)


def unknown_text(path: KeyPath) -> str:
    """What to call an unknown path: a foreign plugin as a whole, a value by its key."""
    return f"plugin {path[0]}" if path[1:] == ("@name",) else key_text(path)


def unknown_keys(config: ProfConfig) -> list[str]:
    """The names of ``unknown_paths``."""
    return [unknown_text(path) for path in unknown_paths(config)]


def warnings(config: ProfConfig) -> list[str]:
    """The traps of a valid configuration, one line each."""
    return [trap.text for trap in traps(config)]
