"""The words of ``hl-prof-config`` as a request: one or two dashes, ``=`` or blank, any case of on and off. Touches no file.

Problems are collected, so that all are told at once.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hlprof_core.config.document import ProfConfig
from hlprof_core.config.schema import LIST_FLAGS, PROFILE_API, SETTINGS, list_members, setting, unit_settings
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


ACTIONS = (
    ActionOption(("h", "help"), "", "Show this help; with a target (-h -gaudi2) also its trace units."),
    ActionOption(("v", "version"), "", "Show the version."),
    ActionOption(("e", "edit-existing"), "on|off", "off: throw the current settings away and start from the defaults. Default: on."),
    ActionOption(("config-filename",), "FILE", "Write FILE instead of ~/.habana/prof_config.json."),
    ActionOption(("list-templates",), "", "List the templates."),
    ActionOption(("use-template",), "NAME", "Start from a template instead of the current settings."),
    ActionOption(("print",), "", "Print the resulting JSON, write nothing."),
    ActionOption(("validate",), "FILE", "Check a configuration file, write nothing."),
    ActionOption(("explain",), "KEY", "Explain an option, a setting or a key of the file."),
    ActionOption(("show-effective",), "", "Show what a run in this environment would use, and where each value comes from."),
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
    "show-effective": "show_effective",
}
_OLD_FORMAT = Choice(("on", "off", "all"), {"true": "on", "1": "on", "false": "off", "0": "off"})


@dataclass(slots=True)
class Request:
    """What the words ask for. ``changes`` are (setting id, value) in order; unit options wait for the target to be known."""

    help: bool = False
    version: bool = False
    list_templates: bool = False
    print_only: bool = False
    show_effective: bool = False
    validate: str = ""
    explain: str = ""
    template: str = ""
    edit_existing: bool = True
    config_filename: str = ""
    changes: list[tuple[str, Any]] = field(default_factory=list)
    unit_changes: list[tuple[str, str]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def generation(self) -> str:
        """The target named in this call, or ""."""
        return next((value for name, value in reversed(self.changes) if name == "hw.arch"), "")


def normalize(name: str) -> str:
    """Option names are compared without case, and _ equals -."""
    return name.lower().replace("_", "-")


def common_flags() -> dict[str, Setting]:
    return {normalize(flag): entry for entry in SETTINGS for flag in entry.flags}


def unit_flags(generation: str) -> dict[str, Setting]:
    """Options of the trace units of one generation."""
    return {normalize(flag): entry for entry in unit_settings(unit_tree(generation)) for flag in entry.flags}


def known_options() -> list[str]:
    """Every spelling, for guesses."""
    names = [flag for action in ACTIONS + SHORTHANDS for flag in action.flags]
    names += [flag for entry in SETTINGS for flag in entry.flags]
    names += [*LIST_FLAGS, *GENERATIONS]
    return names + [flag for generation in GENERATIONS for flag in unit_flags(generation)]


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
            self.request.changes.append(("hw.arch", name))
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
                self.request.unit_changes.append((name, value))
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
                request.changes.append((f"merged.{action}", choice != "off"))
                if choice != "on":
                    request.changes.append((f"invoc.{action}", choice == "all"))
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
            self.request.changes.append((entry.id, value))

    def set_phase(self, phase: str) -> None:
        # Without this the host's calls outside the sessions would be recorded too, and in the other phases none at all.
        self.request.changes += [("hw.phase", phase), ("host.start_disabled", phase == PROFILE_API)]

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
        self.request.changes += [(entry.id, name in chosen) for name, entry in members.items()]

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


def apply_request(request: Request, config: ProfConfig) -> list[str]:
    """Carry the changes into ``config``; returns problems, in which case the document must not be written."""
    for setting_id, value in request.changes:
        config.set(setting_id, value)
    problems: list[str] = []
    generation = request.generation or config.get("hw.arch")
    targets: Iterable[str] = (generation,) if generation else GENERATIONS
    for flag, word in request.unit_changes:
        entries = [entry for target in targets if (entry := unit_flags(target).get(flag)) is not None]
        if not entries:
            owners = {g: found.flags[0] for g in GENERATIONS if (found := unit_flags(g).get(flag)) is not None}
            spelling = dashed(next(iter(owners.values())))
            problems.append(f"{spelling} belongs to {' and '.join(owners)}, but the target is {generation}")
        for entry in entries:
            config.set(entry.id, entry.kind.parse(word))
    return problems


def notes_on(request: Request, config: ProfConfig) -> list[str]:
    """What to say once about settings whose key in the vendor's file is not public."""
    own = [setting(name) for name, value in request.changes if setting(name).is_own and config.is_stored(name)]
    for flag, _ in request.unit_changes:
        own += [e for g in GENERATIONS if (e := unit_flags(g).get(flag)) is not None and e.is_own and config.is_stored(e.id)]
    keys = list(dict.fromkeys(entry.key for entry in own))
    if not keys:
        return []
    verb = "is" if len(keys) == 1 else "are"
    return [f"{', '.join(keys)} {verb} stored under our own key: the key of the vendor's file is not public."]
