"""The words of ``hl-prof-config`` that make a given document: the way back from a document to a command line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from hlprof_core.config.commandline import parse_words
from hlprof_core.config.document import ProfConfig
from hlprof_core.config.leaf import MISSING, KeyPath, flatten, key_text
from hlprof_core.config.option import dashed
from hlprof_core.config.request import apply_request, touched_settings
from hlprof_core.config.schema import PROFILE_API, all_settings, list_members
from hlprof_core.config.setting import Setting
from hlprof_core.config.templates import templates
from hlprof_core.config.unit_pattern import patterns_of
from hlprof_core.config.validate import invalid_settings
from hlprof_core.errors import ConfigInvalid


class Spelling(Struct, frozen=True):
    """``words`` without program name; ``untold``: what of the document no option can say, one text each."""

    words: tuple[str, ...]
    untold: tuple[str, ...]
    template: str = ""
    """The template that the words start from, already among them."""


def spelling_of(config: ProfConfig, *, start: ProfConfig | None = None) -> Spelling:
    """The words that turn ``start`` (default: what ``-e off`` starts from) into ``config``. Raises nothing."""
    speller = _Speller(config, start or ProfConfig())
    for entry in all_settings().values():
        speller.say_naturally(entry)
    speller.say_by_name([entry for entry in all_settings().values() if speller.differs(entry)])
    return Spelling(tuple(speller.words), tuple(_untold(_meaning(config), _meaning(speller.work))))


def shortest_spelling(config: ProfConfig) -> Spelling:
    """From the template that is nearest to ``config``, or from nothing when that takes no more words."""
    plain = spelling_of(config)
    meaning = _meaning(config)
    name = min(templates(), key=lambda name: len(_unequal(meaning, _meaning(templates()[name].config()))))
    chosen = spelling_of(config, start=templates()[name].config())
    if (len(chosen.untold), len(chosen.words) + 2) >= (len(plain.untold), len(plain.words)):
        return plain
    return Spelling(("--use-template", name, *chosen.words), chosen.untold, name)


class _Speller:
    def __init__(self, wanted: ProfConfig, start: ProfConfig) -> None:
        self.wanted, self.work = wanted, start.copy()
        self.words: list[str] = []
        for entry, _ in invalid_settings(start):
            self.words += ["--reset", entry.id]
            self.work.reset(entry.id)

    def differs(self, entry: Setting) -> bool:
        return bool(_stored(self.wanted, entry) != _stored(self.work, entry))

    def say_naturally(self, entry: Setting) -> None:
        """By the option that people use, where there is one."""
        if not self.differs(entry):
            return
        value = _stored(self.wanted, entry)
        if value is MISSING:
            value = entry.default
        words = self._option(entry, value)
        if words:
            self._say(words)

    def _say(self, words: list[str]) -> None:
        """Take the words when they bring the documents nearer to each other."""
        trial = self.work.copy()
        request = parse_words(words)
        if request.problems or apply_request(request, trial):
            return
        touched = touched_settings(request, self.work)
        before = sum(self.differs(entry) for entry in touched)
        kept, self.work = self.work, trial
        if sum(self.differs(entry) for entry in touched) < before:
            self.words += words
        else:
            self.work = kept

    def say_by_name(self, entries: Sequence[Setting]) -> None:
        """By ``--set`` or ``--reset``, which store exactly what they are told; units that get the same value by patterns."""
        alike: dict[tuple[str, str | None], list[str]] = {}
        for entry in entries:
            value = _stored(self.wanted, entry)
            # The path of a unit is (plugin, "archProfileUnits", generation, class, unit, "enable").
            place = ".".join(entry.path[:4]) if len(entry.path) == 6 else entry.id
            alike.setdefault((place, None if value is MISSING else entry.kind.show(value)), []).append(entry.id)
        for (_, value), names in alike.items():
            for name in patterns_of(names):
                self._say(["--reset", name] if value is None else ["--set", f"{name}={value}"])

    def _option(self, entry: Setting, value: Any) -> list[str]:
        if value == "":
            return []
        if entry.id == "hw.arch":
            return [f"--{value}"]
        if entry.id == "hw.phase" and value == PROFILE_API:
            return ["-i"]
        if entry.member_of:
            flag, members = entry.member_of[0], list_members(entry.member_of[0])
            chosen = [name for name, member in members.items() if _in_force(self.wanted, member)]
            return [dashed(flag), ",".join(chosen) or "none"]
        if entry.flags:
            flag, shown = dashed(entry.flags[0]), entry.kind.show(value)
            return [f"{flag}={shown}"] if shown.startswith("-") else [flag, shown]
        return []


def _stored(config: ProfConfig, entry: Setting) -> Any:
    """The stored value; one that cannot be read is none that an option could say."""
    try:
        return config.stored(entry)
    except ConfigInvalid:
        return MISSING


def _in_force(config: ProfConfig, entry: Setting) -> Any:
    value = _stored(config, entry)
    return entry.default if value is MISSING else value


def _meaning(config: ProfConfig) -> dict[KeyPath, Any]:
    """Every stored value by path, those of known settings as their kind reads them."""
    found = flatten(config.raw)
    for entry in all_settings().values():
        if entry.path in found and (value := _stored(config, entry)) is not MISSING:
            found[entry.path] = value
    return found


def _unequal(one: dict[KeyPath, Any], other: dict[KeyPath, Any]) -> list[KeyPath]:
    return [path for path in {**one, **other} if one.get(path, MISSING) != other.get(path, MISSING)]


def _untold(wanted: dict[KeyPath, Any], made: dict[KeyPath, Any]) -> Iterable[str]:
    unlisted = [path[0] for path in made if path[1:] == ("@name",) and path not in wanted]
    yield from (f"plugin {name} is not listed" for name in unlisted)
    for path in _unequal(wanted, made):
        if path[0] in unlisted:
            continue
        if path[1:] == ("@name",):
            yield f"plugin {path[0]}"
        elif path in wanted:
            yield f"{key_text(path)} is {wanted[path]!r}"
        else:
            yield f"{key_text(path)} is not stored"
