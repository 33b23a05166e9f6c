"""Arrangements of rows written as rules, which fit any trace: ``pin engine:MME`` on one line, ``fold process:Host*`` on the next."""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from hlprof_core.errors import UsageError
from hlprof_core.trace.model import Trace
from hlprof_core.trace.tracks import Track
from hlprof_gui.state.arrangement import Arrangement, group_order
from hlprof_gui.state.groups import GROUP_WAYS, GroupBy, groups_of

FIELDS: dict[str, Callable[[Trace, Track], str]] = {
    "engine": lambda _trace, track: track.engine,
    "process": lambda trace, track: trace.processes[track.process].name or f"Process {track.pid}",
    "thread": lambda _trace, track: track.name or f"Thread {track.tid}",
    "kind": lambda _trace, track: track.kind,
    "rank": lambda _trace, track: str(track.rank) if track.rank >= 0 else "",
}
GROUP = "group"
ACTIONS = {
    "pin": "keep these rows at the top while the others scroll",
    "hide": "take these rows off the screen",
    "only": "hide all other rows",
    "first": "put the groups of these rows first",
    "last": "put the groups of these rows last",
    "fold": "show the groups of these rows as one summary row each",
    "taller": "make these rows taller",
    "smaller": "make these rows less tall",
    GROUP: "group all rows by process, engine or rank: group by engine",
}
HELP = "One rule a line: an action, then field:pattern, with * for any letters. # begins a remark."


class Rule(Struct, frozen=True):
    """``patterns``: all of these (field, pattern) must fit a row."""

    action: str
    patterns: tuple[tuple[str, str], ...]

    def tracks(self, trace: Trace) -> list[int]:
        """The rows it is about, in screen order."""
        tracks: list[Track] = list(trace.tracks)
        for field, pattern in self.patterns:
            text, fits = FIELDS[field], re.compile(fnmatch.translate(pattern.casefold())).match
            known = {found: fits(found.casefold()) is not None for found in {text(trace, track) for track in tracks}}
            tracks = [track for track in tracks if known[text(trace, track)]]
        return [track.id for track in tracks]


def parse_rules(text: str) -> list[Rule]:
    """Rules of a text; ``UsageError`` names the line that is none."""
    rules = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        action, rest = words[0].lower(), " ".join(words[1:])
        if action not in ACTIONS:
            guess = _guess(action, list(ACTIONS))
            raise UsageError(f"Line {number}: {words[0]!r} is no action{guess}.", hint=f"Known are {', '.join(ACTIONS)}.")
        rules.append(Rule(action, ((_way(rest, number), ""),) if action == GROUP else _patterns(rest, number)))
    return rules


def _way(text: str, number: int) -> GroupBy:
    """``by engine``, or ``engine`` alone."""
    word = text.lower().removeprefix("by ").strip()
    for way in GROUP_WAYS:
        if way == word:
            return way
    guess = _guess(word, list(GROUP_WAYS))
    raise UsageError(f"Line {number}: {text!r} is nothing to group by{guess}.", hint=f"Write group by {', '.join(GROUP_WAYS)}.")


def _patterns(text: str, number: int) -> tuple[tuple[str, str], ...]:
    """``engine:MME thread:*0``; a pattern goes on to the next ``field:``, so that names with blanks need no quotes."""
    found: list[tuple[str, str]] = []
    for word in text.split():
        field, colon, pattern = word.partition(":")
        if colon and field.lower() in FIELDS:
            found.append((field.lower(), pattern))
        elif not colon and found:
            found[-1] = (found[-1][0], f"{found[-1][1]} {word}")
        else:
            guess = _guess(field.lower(), list(FIELDS))
            raise UsageError(f"Line {number}: {word!r} is no field:pattern{guess}.", hint=f"Fields are {', '.join(FIELDS)}.")
    if not found:
        raise UsageError(f"Line {number}: the rule names no rows.", hint="Write for example: pin engine:MME")
    return tuple(found)


def _guess(word: str, known: list[str]) -> str:
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f" (did you mean {near[0]}?)" if near else ""


def arrange_by(rules: list[Rule], trace: Trace) -> tuple[Arrangement, frozenset[int]]:
    """The arrangement that the rules give, one after the other, and the folded groups. All are about the same groups."""
    ways = [way for rule in rules if rule.action == GROUP for way in GROUP_WAYS if way == rule.patterns[0][0]]
    arrangement, folded = Arrangement(group_by=ways[-1] if ways else "process"), set[int]()
    groups = groups_of(trace, arrangement.group_by)
    for rule in rules:
        if rule.action == GROUP:
            continue
        tracks = rule.tracks(trace)
        about = list(dict.fromkeys(groups.owner[tracks].tolist()))
        if rule.action == "pin":
            arrangement = arrangement.pin(tracks)
        elif rule.action == "hide":
            arrangement = arrangement.hide(tracks)
        elif rule.action == "only":
            arrangement = arrangement.hide(set(range(len(trace.tracks))) - set(tracks))
        elif rule.action == "fold":
            folded.update(about)
        elif rule.action in ("first", "last"):
            named = set(about)
            others = [g for g in group_order(groups.total, arrangement).tolist() if g in groups.numbers and g not in named]
            arrangement = replace(arrangement, groups=(*about, *others) if rule.action == "first" else (*others, *about))
        else:
            arrangement = arrangement.resize_all(tracks, 1 if rule.action == "taller" else -1)
    return arrangement, frozenset(folded)
