"""The words of ``hl-prof-config`` as a request: one or two dashes, ``=`` or blank, any case of on and off. Touches no file.

Problems are collected, so that all are told at once.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from hlprof_core.config.option import (
    ACTIONS,
    SHELLS,
    SHORTHANDS,
    USUAL_WORKLOAD,
    common_flags,
    dashed,
    is_pattern,
    known_options,
    normalize,
    settings_named,
    unit_flags,
)
from hlprof_core.config.request import Change, Request, UnitChange, conflicts
from hlprof_core.config.schema import LIST_FLAGS, PROFILE_API, all_settings, list_members
from hlprof_core.config.setting import Setting
from hlprof_core.config.unit_tree import GENERATIONS
from hlprof_core.config.value_kind import ON_OFF, ON_OFF_ALL, Choice

_SHELL = Choice(SHELLS)


def parse_words(words: Sequence[str]) -> Request:
    """Read the command line; never raises for what a person typed, see ``Request.problems``."""
    return _Parser(words).run()


class _Parser:
    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self.at = 0
        self.request = Request()
        self.settings = common_flags()
        self.actions = {normalize(flag): action for action in ACTIONS + SHORTHANDS for flag in action.flags}
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
        self.request.problems += conflicts(self.request)
        return self.request

    def option(self, spelling: str, name: str, inline: str | None) -> None:
        if name in self.actions:
            self.action(spelling, self.actions[name].flags[-1], self.actions[name].metavar, inline)
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

    def action(self, spelling: str, action: str, metavar: str, inline: str | None) -> None:
        request = self.request
        if not metavar and action in request.actions:
            return
        request.actions.append(action)
        if not metavar:
            self.no_value(spelling, inline)
            if action == "instrumentation":
                self.set_phase(PROFILE_API)
            else:
                setattr(request, {"print": "print_only"}.get(action, action.replace("-", "_")), True)
        elif action == "edit-existing":
            value = self.value(spelling, inline, metavar)
            if value is not None:
                request.edit_existing = self.convert(spelling, ON_OFF, value, request.edit_existing)
        elif action in ("json", "hltv", "csv"):
            value = self.value(spelling, inline, metavar)
            choice = None if value is None else self.convert(spelling, ON_OFF_ALL, value, None)
            if choice is not None:
                request.changes.append(Change(f"merged.{action}", choice != "off"))
                if choice != "on":
                    request.changes.append(Change(f"invoc.{action}", choice == "all"))
        elif action == "diff":
            request.diff = self.value_if_any(spelling, inline, metavar) or "default"
        elif action == "estimate":
            request.estimate = self.value_if_any(spelling, inline, metavar) or USUAL_WORKLOAD
        elif action == "completion":
            value = self.value(spelling, inline, metavar)
            request.completion = "" if value is None else self.convert(spelling, _SHELL, value, "")
        elif action == "set":
            value = self.value(spelling, inline, metavar)
            if value is not None:
                self.set_by_name(spelling, value)
        elif action == "reset":
            value = self.value(spelling, inline, metavar)
            if value is not None:
                request.changes += [Change(entry.id, is_reset=True) for entry in self.named(spelling, value)]
        else:
            if action == "explain" and inline is None and self.at < len(self.words):
                inline = self.words[self.at]  # also with dashes
                self.at += 1
            value = self.value(spelling, inline, metavar)
            if value:
                setattr(request, {"use-template": "template"}.get(action, action.replace("-", "_")), value)
            elif value is not None:
                self.problem(f"{spelling} needs {metavar}, which is empty")

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
        fitting = [entry for entry in entries if _reads(entry, text)] if is_pattern(name) else []
        for entry in fitting or entries[:1]:
            value = self.convert(f"{spelling} {entry.id}", entry.kind, text, None)
            if value is not None:
                self.request.changes.append(Change(entry.id, value, is_explicit=True))

    def named(self, spelling: str, name: str) -> list[Setting]:
        """The settings with that id or key, or those that a pattern means; a problem when there is none."""
        found = settings_named(name)
        if not found:
            near = [] if is_pattern(name) else difflib.get_close_matches(name, list(all_settings()), n=1, cutoff=0.6)
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
                self.problem(f"{spelling}: {item!r} is not a format; {guess}known are {', '.join(members)}")
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


def _reads(entry: Setting, word: str) -> bool:
    try:
        entry.kind.parse(word)
    except ValueError:
        return False
    return True
