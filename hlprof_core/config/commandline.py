"""The words of ``hl-prof-config`` as a request: one or two dashes, ``=`` or blank, any case of on and off. Touches no file.

Problems are collected, so that all are told at once.
"""

from __future__ import annotations

import difflib
import fnmatch
import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hlprof_core.config.document import ProfConfig
from hlprof_core.config.schema import LIST_FLAGS, PROFILE_API, SETTINGS, all_settings, list_members, setting, unit_settings
from hlprof_core.config.setting import Setting
from hlprof_core.config.unit_tree import GENERATIONS, unit_tree
from hlprof_core.config.value_kind import ON_OFF, Choice

PROGRAM = "hl-prof-config"


@dataclass(frozen=True, slots=True)
class ActionOption:
    """An option that is no setting: what to do, or a spelling that stands for several settings."""

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
_SWITCHES = {
    "help": "help",
    "version": "version",
    "list-templates": "list_templates",
    "print": "print_only",
    "show": "show",
    "show-effective": "show_effective",
    "gui": "gui",
    "schema": "schema",
}
_SHELL = Choice(SHELLS)
_OLD_FORMAT = Choice(("on", "off", "all"), {"true": "on", "1": "on", "false": "off", "0": "off"})


@dataclass(frozen=True, slots=True)
class Change:
    """One setting gets a value. ``is_explicit``: it is stored even when it is the default. ``is_reset``: it goes back to the default."""

    setting_id: str
    value: Any = None
    is_explicit: bool = False
    is_reset: bool = False


@dataclass(frozen=True, slots=True)
class UnitChange:
    """An option of trace units; which setting it means shows when the target is known."""

    flag: str
    word: str

    def entries(self, targets: Sequence[str]) -> list[Setting]:
        """The settings it means for these generations."""
        return [entry for target in targets if (entry := unit_flags(target).get(self.flag)) is not None]


@dataclass(slots=True)
class Request:
    """What the words ask for; ``changes`` in the order in which they were typed."""

    help: bool = False
    version: bool = False
    list_templates: bool = False
    print_only: bool = False
    show: bool = False
    show_effective: bool = False
    gui: bool = False
    schema: bool = False
    diff: str = ""
    """What to compare with: ``default``, a template or a file; "" for no comparison."""
    estimate: str = ""
    """The workload to estimate for, with its options; "" for no estimate."""
    like: str = ""
    """The earlier trace to estimate from."""
    completion: str = ""
    validate: str = ""
    explain: str = ""
    template: str = ""
    edit_existing: bool = True
    config_filename: str = ""
    changes: list[Change | UnitChange] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def generation(self) -> str:
        """The target named in this call, or ""."""
        named = [change.value for change in self.changes if isinstance(change, Change) and change.setting_id == "hw.arch"]
        return named[-1] or "" if named else ""


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


def parse_words(words: Sequence[str]) -> Request:
    """Read the command line; never raises for what a person typed, see ``Request.problems``."""
    return _Parser(words).run()


class _Parser:
    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self.at = 0
        self.request = Request()
        self.settings = common_flags()
        self.actions = {normalize(flag): action.flags[-1] for action in ACTIONS + SHORTHANDS for flag in action.flags}
        self.units: dict[str, Setting] | None = None

    def run(self) -> Request:
        while self.at < len(self.words):
            word = self.words[self.at]
            self.at += 1
            if not word.startswith("-") or word.strip("-") == "":
                self.problem(f"{word!r} belongs to no option{self._guess(word)}")
                continue
            name, has_value, value = word.removeprefix("-").removeprefix("-").partition("=")
            self.option(word.partition("=")[0], normalize(name), value if has_value else None)
        return self.request

    def option(self, spelling: str, name: str, inline: str | None) -> None:
        if name in self.actions:
            self.action(spelling, self.actions[name], inline)
        elif name in GENERATIONS:
            self.no_value(spelling, inline)
            self.request.changes.append(Change("hw.arch", name))
        elif name in self.settings:
            entry = self.settings[name]
            value = self.value(spelling, inline, entry.kind.metavar)
            if value is not None:
                self.set_from_word(spelling, entry, value)
        elif name in LIST_FLAGS:
            value = self.value(spelling, inline, "LIST")
            if value is not None:
                self.set_list(spelling, name, value)
        elif name in self.unit_options():
            value = self.value(spelling, inline, "a value")
            kind = self.unit_options()[name].kind
            if value is not None and self.convert(spelling, kind, value, None) is not None:
                self.request.changes.append(UnitChange(name, value))
        else:
            self.problem(f"no option {spelling}{self._guess(name)}")
            # Its value, if one follows, is not a second problem.
            if inline is None and self.at < len(self.words) and not self.words[self.at].startswith("-"):
                self.at += 1

    def action(self, spelling: str, action: str, inline: str | None) -> None:
        request = self.request
        if action in _SWITCHES:
            self.no_value(spelling, inline)
            setattr(request, _SWITCHES[action], True)
        elif action == "instrumentation":
            self.no_value(spelling, inline)
            self.set_phase(PROFILE_API)
        elif action == "edit-existing":
            value = self.value(spelling, inline, ON_OFF.metavar)
            if value is not None:
                request.edit_existing = self.convert(spelling, ON_OFF, value, request.edit_existing)
        elif action in ("json", "hltv", "csv"):
            value = self.value(spelling, inline, _OLD_FORMAT.metavar)
            choice = None if value is None else self.convert(spelling, _OLD_FORMAT, value, None)
            if choice is not None:
                request.changes.append(Change(f"merged.{action}", choice != "off"))
                if choice != "on":
                    request.changes.append(Change(f"invoc.{action}", choice == "all"))
        elif action == "diff":
            request.diff = self.value_if_any(spelling, inline, DIFF_METAVAR) or "default"
        elif action == "estimate":
            request.estimate = self.value_if_any(spelling, inline, ESTIMATE_METAVAR) or USUAL_WORKLOAD
        elif action == "completion":
            value = self.value(spelling, inline, _SHELL.metavar)
            request.completion = "" if value is None else self.convert(spelling, _SHELL, value, "")
        elif action == "set":
            value = self.value(spelling, inline, "NAME=VALUE")
            if value is not None:
                self.set_by_name(spelling, value)
        elif action == "reset":
            value = self.value(spelling, inline, "NAME")
            if value is not None:
                request.changes += [Change(entry.id, is_reset=True) for entry in self.named(spelling, value)]
        else:
            value = self.value(spelling, inline, "a value")
            if value is not None:
                target = {"config-filename": "config_filename", "use-template": "template"}.get(action, action)
                setattr(request, target, value)

    def set_from_word(self, spelling: str, entry: Setting, word: str) -> None:
        value = self.convert(spelling, entry.kind, word, None)
        if value is None:
            return
        if entry.id == "hw.phase":
            self.set_phase(value)
        else:
            self.request.changes.append(Change(entry.id, value))

    def set_by_name(self, spelling: str, word: str) -> None:
        name, has_value, text = word.partition("=")
        if not has_value:
            self.problem(f"{spelling} {name} needs a value: {spelling} {name}=VALUE")
            return
        entries = self.named(spelling, name)
        # A pattern means those of its settings that can have the value.
        fitting = [entry for entry in entries if _reads(entry, text)] if _is_pattern(name) else []
        for entry in fitting or entries[:1]:
            value = self.convert(f"{spelling} {entry.id}", entry.kind, text, None)
            if value is not None:
                self.request.changes.append(Change(entry.id, value, is_explicit=True))

    def named(self, spelling: str, name: str) -> list[Setting]:
        """The settings with that id or key, or those that a pattern means; a problem when there is none."""
        found = settings_named(name)
        if not found:
            near = [] if _is_pattern(name) else difflib.get_close_matches(name, list(all_settings()), n=1, cutoff=0.6)
            self.problem(f"{spelling}: no setting {name}" + (f" (did you mean {near[0]}?)" if near else ""))
        return found

    def set_phase(self, phase: str) -> None:
        # Without this the host's calls outside the sessions would be recorded too, and in the other phases none at all.
        self.request.changes += [Change("hw.phase", phase), Change("host.start_disabled", phase == PROFILE_API)]

    def set_list(self, spelling: str, list_flag: str, word: str) -> None:
        members = list_members(list_flag)
        known = {name.lower(): name for name in members}
        chosen = []
        for item in (part.strip() for part in word.split(",")):
            if item.lower() in ("", "none", "off") and len(word.split(",")) == 1:
                continue
            if item.lower() not in known:
                near = difflib.get_close_matches(item.lower(), list(known), n=1, cutoff=0.5)
                guess = f"did you mean {known[near[0]]}? " if near else ""
                self.problem(f"{spelling}: {item!r} is no format; {guess}known are {', '.join(members)}")
            else:
                chosen.append(known[item.lower()])
        self.request.changes += [Change(entry.id, name in chosen) for name, entry in members.items()]

    def convert(self, spelling: str, kind: Any, word: str, fallback: Any) -> Any:
        try:
            return kind.parse(word)
        except ValueError as error:
            self.problem(f"{spelling}: {error}")
            return fallback

    def value(self, spelling: str, inline: str | None, what: str) -> str | None:
        """The option's value: after ``=``, or the next word."""
        if inline is not None:
            return inline
        if self.at < len(self.words) and not self.is_option(self.words[self.at]):
            self.at += 1
            return self.words[self.at - 1]
        self.problem(f"{spelling} needs {what}")
        return None

    def value_if_any(self, spelling: str, inline: str | None, what: str) -> str | None:
        """The value of an option that can do without one."""
        follows = inline is None and self.at < len(self.words) and not self.is_option(self.words[self.at])
        return self.value(spelling, inline, what) if inline is not None or follows else None

    def is_option(self, word: str) -> bool:
        return word.startswith("-") and len(word) > 1

    def no_value(self, spelling: str, inline: str | None) -> None:
        if inline is not None:
            self.problem(f"{spelling} takes no value, but {inline!r} was given")

    def unit_options(self) -> dict[str, Setting]:
        """Unit options of every generation: which of them are legal shows when the target is known."""
        if self.units is None:
            self.units = {name: entry for generation in GENERATIONS for name, entry in unit_flags(generation).items()}
        return self.units

    def problem(self, text: str) -> None:
        self.request.problems.append(text)

    def _guess(self, name: str) -> str:
        known = {normalize(option): option for option in known_options()}
        near = difflib.get_close_matches(normalize(name.lstrip("-")), list(known), n=1, cutoff=0.6)
        return f" (did you mean {dashed(known[near[0]])}?)" if near else ""


def dashed(flag: str) -> str:
    """A flag as the help writes it."""
    return f"-{flag}" if len(flag) == 1 else f"--{flag}"


def settings_named(name: str) -> list[Setting]:
    """Settings by id or key, without regard to case; ``*``, ``?`` and ``[]`` make it a pattern over ids."""
    wanted = name.lower()
    if _is_pattern(wanted):
        return [entry for entry in all_settings().values() if fnmatch.fnmatchcase(entry.id.lower(), wanted)]
    found = _settings_by_name().get(wanted)
    return [found] if found else []


@functools.cache
def _settings_by_name() -> dict[str, Setting]:
    return {name.lower(): entry for entry in all_settings().values() for name in (entry.id, entry.key)}


def _reads(entry: Setting, word: str) -> bool:
    try:
        entry.kind.parse(word)
    except ValueError:
        return False
    return True


def _is_pattern(name: str) -> bool:
    return any(sign in name for sign in "*?[")


def apply_request(request: Request, config: ProfConfig) -> list[str]:
    """Carry the changes into ``config``; returns problems, in which case the document must not be written."""
    problems: list[str] = []
    for change in request.changes:
        if isinstance(change, UnitChange):
            targets = _targets(request, config)
            entries = change.entries(targets)
            if not entries:
                owners = {entry.generation: entry.flags[0] for entry in change.entries(GENERATIONS)}
                spelling = dashed(next(iter(owners.values())))
                problems.append(f"{spelling} belongs to {' and '.join(owners)}, but the target is {targets[0]}")
            for entry in entries:
                config.set(entry.id, entry.kind.parse(change.word))
        elif change.is_reset:
            config.reset(change.setting_id)
        else:
            config.set(change.setting_id, change.value, is_explicit=change.is_explicit)
    return problems


def _targets(request: Request, config: ProfConfig) -> Sequence[str]:
    """The generations whose unit options are meant: the target, or all of them while there is none."""
    generation = request.generation or config.get("hw.arch")
    return (generation,) if generation else GENERATIONS


def touched_settings(request: Request, config: ProfConfig) -> list[Setting]:
    """The settings that a request changes in ``config``."""
    found: list[Setting] = []
    for change in request.changes:
        if isinstance(change, UnitChange):
            found += change.entries(_targets(request, config))
        else:
            found.append(setting(change.setting_id))
    return found


def notes_on(request: Request, config: ProfConfig) -> list[str]:
    """What to say once about settings whose key in the vendor's file is not public."""
    touched = touched_settings(request, config)
    keys = list(dict.fromkeys(entry.key for entry in touched if entry.is_own and config.is_stored(entry.id)))
    if not keys:
        return []
    verb = "is" if len(keys) == 1 else "are"
    return [f"{', '.join(keys)} {verb} stored under our own key: the key of the vendor's file is not public."]
