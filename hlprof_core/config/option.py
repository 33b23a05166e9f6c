"""Every option of ``hl-prof-config`` with its spellings: those of settings from their declarations, the others from here."""

from __future__ import annotations

import fnmatch
import functools

from msgspec import Struct

from hlprof_core.config.schema import LIST_FLAGS, SETTINGS, all_settings, unit_settings
from hlprof_core.config.setting import Setting
from hlprof_core.config.unit_tree import GENERATIONS, unit_tree

PROGRAM = "hl-prof-config"


class ActionOption(Struct, frozen=True):
    """An option that is not a setting: what to do, or a spelling that stands for several settings."""

    flags: tuple[str, ...]
    metavar: str
    help: str


DIFF_METAVAR = "[default|TEMPLATE|FILE]"
ESTIMATE_METAVAR, USUAL_WORKLOAD = "[WORKLOAD]", "dlrm"
SHELLS = ("bash", "zsh", "fish")
ACTIONS = (
    ActionOption(("h", "help"), "", "Show this help; with a target (-h -gaudi2) also its trace units."),
    ActionOption(("v", "version"), "", "Show the version."),
    ActionOption(("e", "edit-existing"), "on|off", "off: throw the current settings away and start from the defaults. Default: on."),
    ActionOption(("config-filename",), "FILE", "Write FILE instead of ~/.habana/prof_config.json."),
    ActionOption(("list-templates",), "", "List the templates."),
    ActionOption(("use-template",), "TEMPLATE", "Start from a template instead of the current settings."),
    ActionOption(("set",), "NAME=VALUE", "Store any setting by its id or key; * in the name means many: 'units.gaudi2.TPC.*=off'."),
    ActionOption(("reset",), "NAME", "Any setting back to its default; * in NAME means many."),
    ActionOption(("show",), "", "Show what is set now."),
    ActionOption(("show-effective",), "", "Show what a run in this environment would use, and where each value comes from."),
    ActionOption(("print",), "", "Print the resulting JSON, write nothing."),
    ActionOption(("diff",), DIFF_METAVAR, "Show how the resulting settings differ from the defaults, a template or a file; write nothing."),
    ActionOption(
        ("estimate",),
        ESTIMATE_METAVAR,
        "Show what a recording with the resulting settings will be like: events, trace buffer, files, time; write nothing. "
        "WORKLOAD: what runs, quoted when it has options, as in 'dlrm --iterations 20'. Default: dlrm.",
    ),
    ActionOption(("like",), "FILE", "Estimate from an earlier trace of the program instead of a workload."),
    ActionOption(("validate",), "FILE", "Check a configuration file, write nothing."),
    ActionOption(("explain",), "KEY", "Explain an option, a setting or a key of the file."),
    ActionOption(("gui",), "", "Open the window, as the bare command does where there is a display."),
    ActionOption(("completion",), "bash|zsh|fish", "Print the script that completes options in that shell."),
    ActionOption(("schema",), "", "Print the JSON Schema of the file."),
)
SHORTHANDS = (
    ActionOption(("i", "instrumentation"), "", "Same as --phase profileApi: record only sessions that the program starts."),
    ActionOption(("json",), "on|off|all", "Older form of --merged json; all: of --invoc json too."),
    ActionOption(("hltv",), "on|off|all", "Older form of --merged hltv; all: of --invoc hltv too."),
    ActionOption(("csv",), "on|off|all", "Older form of --merged csv; all: of --invoc csv too."),
)


def dashed(flag: str) -> str:
    """A flag as the help writes it."""
    return f"-{flag}" if len(flag) == 1 else f"--{flag}"


def normalize(name: str) -> str:
    """Option names are compared without case, and _ equals -."""
    return name.lower().replace("_", "-")


@functools.cache
def common_flags() -> dict[str, Setting]:
    return {normalize(flag): entry for entry in SETTINGS for flag in entry.flags}


@functools.cache
def unit_flags(generation: str) -> dict[str, Setting]:
    """Options of the trace units of one generation."""
    return {normalize(flag): entry for entry in unit_settings(unit_tree(generation)) for flag in entry.flags}


def known_options() -> list[str]:
    """Every spelling, for guesses."""
    names = [flag for action in ACTIONS + SHORTHANDS for flag in action.flags]
    names += [flag for entry in SETTINGS for flag in entry.flags]
    names += [*LIST_FLAGS, *GENERATIONS]
    return names + [flag for generation in GENERATIONS for entry in unit_flags(generation).values() for flag in entry.flags]


def settings_named(name: str) -> list[Setting]:
    """Settings by id or key, without regard to case; ``*``, ``?`` and ``[]`` make it a pattern over ids."""
    wanted = name.lower()
    if is_pattern(wanted):
        return [entry for entry in all_settings().values() if fnmatch.fnmatchcase(entry.id.lower(), wanted)]
    found = _settings_by_name().get(wanted)
    return [found] if found else []


@functools.cache
def _settings_by_name() -> dict[str, Setting]:
    return {name.lower(): entry for entry in all_settings().values() for name in (entry.id, entry.key)}


def is_pattern(name: str) -> bool:
    return any(sign in name for sign in "*?[")
