"""What may come next while a filter is being typed: fields, values that occur in the trace, keys of arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from msgspec import Struct

from hlprof_core.analysis.filter.arguments import written_keys
from hlprof_core.analysis.filter.fields import KINDS, Field, fields
from hlprof_core.analysis.filter.language import quote
from hlprof_core.levels.name_index import NameIndex
from hlprof_core.progress import Progress
from hlprof_core.units import format_ns

MOST = 12
SAMPLED = 400
"""Slices whose arguments are read to learn what keys and values there are."""
_TERM = re.compile(r'-?(?P<field>[A-Za-z_]\w*)(?:\.(?P<key>(?:"(?:[^"\\]|\\.)*"|[^\s:=<>!"()])+))?(?P<op>!=|<=|>=|==|:(?!:)|=|<|>)')
_KEY = re.compile(r'-?args\.(?P<key>"?[^\s:=<>!"()]*)$', re.IGNORECASE)


class Completion(Struct, frozen=True):
    """``text`` may replace ``filter[start:end]``; ``note`` says what it is."""

    text: str
    note: str
    start: int
    end: int


class Completer:
    """Knows the texts of one trace. Keys and values of arguments are known after ``read_arguments``."""

    def __init__(self, index: NameIndex | None) -> None:
        self._index = index
        self._sampled: dict[str, dict[str, int]] = {}
        self._counted: dict[str, list[tuple[str, int]]] = {}

    def read_arguments(self, progress: Progress | None = None) -> None:
        """Look at the arguments of some hundred slices, of every row some; about 50 ms."""
        if self._index is None:
            return
        slices = self._index.trace.slices
        with_args = np.flatnonzero(slices.args_length)
        step = max(1, len(with_args) // SAMPLED)
        # Rows of every track come in turn, so that rare tracks show their keys too.
        per_track = np.flatnonzero(np.diff(slices.track[with_args], prepend=-1)) if len(with_args) else with_args
        sample = np.union1d(with_args[::step], with_args[per_track[:SAMPLED]])
        self._sampled = written_keys(self._index.trace, sample, progress or Progress())

    def complete(self, text: str, at: int) -> list[Completion]:
        """What may stand at place ``at`` of the text instead of the piece that is being typed there; best first."""
        start = _piece_start(text, at)
        piece = text[start:at]
        term = _TERM.match(piece)
        if term is not None:
            value_at = start + term.end() + max(piece[term.end() :].rfind(","), -1) + 1
            return self._values(term["field"].lower(), term["key"] or "", text[value_at:at].strip('"'), value_at, at)
        key = _KEY.match(piece)
        if key is not None:
            return self._keys(key["key"].strip('"'), start + key.start("key"), at)
        lead = len(piece) - len(piece.lstrip("-("))
        return self._fields(piece[lead:], start + lead, at)

    def argument_keys(self) -> list[str]:
        """Keys of arguments that a sample of the slices has."""
        return sorted(self._sampled, key=str.casefold)

    def _fields(self, typed: str, start: int, at: int) -> list[Completion]:
        found = []
        for field in fields:
            if field.name.startswith(typed.lower()):
                mark = "." if field.kind == "args" else ">" if field.kind == "time" else ":"
                found.append(Completion(field.name + mark, f"{field.help} {field.example}", start, at))
        return (found + self._named(typed.strip('"'), start, at, MOST - len(found)) if len(typed) > 1 else found)[: MOST + len(fields)]

    def _named(self, typed: str, start: int, at: int, most: int) -> list[Completion]:
        """Names of the trace that hold what is typed, frequent ones first."""
        index = self._index
        if index is None or most <= 0:
            return []
        hits = np.flatnonzero(index.texts.containing(typed))
        counts = index.counts[hits]
        best = hits[np.argsort(-counts, kind="stable")[:most]].tolist()
        names = [(index.trace.strings[int(index.names[p])], int(index.counts[p])) for p in best]
        return [Completion(quote(name), f"{count:,} slices", start, at) for name, count in names if name]

    def _values(self, name: str, key: str, typed: str, start: int, at: int) -> list[Completion]:
        if name not in fields:
            return []
        field = fields.get(name)
        if field.kind in ("time", "number"):
            return [] if typed else self._hints(field, start, at)
        if field.kind == "choice":
            return [Completion(c, "", start, at) for c in field.choices if c.lower().startswith(typed.lower())]
        if field.kind == "args":
            texts = self._sampled.get(_plain_key(key), {}) if key else {}
            return _picked(texts.items(), typed, start, at)
        if field.strings is not None and field.name != "cat":
            return self._named(typed, start, at, MOST)
        return _picked(self._texts_of(field), typed, start, at)

    def _hints(self, field: Field, start: int, at: int) -> list[Completion]:
        """Figures of the trace that give an idea of the size."""
        index = self._index
        if index is None or not len(index.by_time) or field.name not in ("dur", "self"):
            return []
        durations = index.trace.slices.dur_ns
        sample = durations[:: max(1, len(durations) // 20_000)]
        found = []
        for share, note in ((50, "longer than half of the slices"), (90, "the longest tenth"), (99, "the longest hundredth")):
            written = format_ns(int(np.percentile(sample, share)), digits=3).replace(" ", "").replace("µ", "u")
            found.append(Completion(written, note, start, at))
        return list({c.text: c for c in found}.values())

    def _texts_of(self, field: Field) -> Iterable[tuple[str, int]]:
        if field.name not in self._counted:
            self._counted[field.name] = list(self._count_texts(field))
        return self._counted[field.name]

    def _count_texts(self, field: Field) -> Iterable[tuple[str, int]]:
        if self._index is None:
            return ()
        trace = self._index.trace
        if field.strings is not None:
            counts = np.bincount(field.strings(trace)) if len(trace.slices) else np.zeros(0, np.int64)
            return [(trace.strings[i], int(counts[i])) for i in np.flatnonzero(counts).tolist()]
        assert field.of_track is not None
        sizes = np.diff(trace.lanes.offsets[trace.track_lanes]).tolist()
        totals: dict[str, int] = {}
        for track, size in zip(trace.tracks, sizes, strict=True):
            text = str(field.of_track(trace, track))
            totals[text] = totals.get(text, 0) + size
        return totals.items()

    def _keys(self, typed: str, start: int, at: int) -> list[Completion]:
        found = []
        for key, texts in self._sampled.items():
            if typed.casefold() in key.casefold():
                example = max(texts, key=lambda text: texts[text])
                found.append(Completion(_quoted_key(key) + "=", f"such as {example[:40]}", start, at))
        return sorted(found, key=lambda c: (not c.text.strip('"').casefold().startswith(typed.casefold()), c.text.casefold()))[: 2 * MOST]


def _piece_start(text: str, at: int) -> int:
    """Where the piece begins that ``at`` is in: behind the last blank outside of quotes."""
    start, quoted = 0, False
    for i, sign in enumerate(text[:at]):
        if sign == '"' and text[i - 1 : i] != "\\":
            quoted = not quoted
        elif sign.isspace() and not quoted:
            start = i + 1
    return start


def _picked(texts: Iterable[tuple[str, int]], typed: str, start: int, at: int) -> list[Completion]:
    """Those that hold what is typed; such as begin with it first, then frequent ones."""
    folded = typed.casefold()
    held = [(not text.casefold().startswith(folded), -count, text) for text, count in texts if text and folded in text.casefold()]
    return [Completion(quote(text), f"{-count:,} ×", start, at) for _, count, text in sorted(held)[:MOST]]


def _quoted_key(key: str) -> str:
    return key if re.fullmatch(r"[\w./+#@-]+", key) else '"' + key.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _plain_key(key: str) -> str:
    return re.sub(r'"((?:[^"\\]|\\.)*)"', lambda quoted: re.sub(r"\\(.)", r"\1", quoted[1]), key)


def describe_fields() -> str:
    """The fields as a table of Markdown, for the manual."""
    rows = []
    for field in fields:
        choices = f" {', '.join(f'`{choice}`' for choice in field.choices)}." if field.choices else ""
        rows.append(f"| `{field.name}` | {KINDS[field.kind]} | {field.help}{choices} | `{field.example}` |")
    return "\n".join(["| field | asks for | | for example |", "|---|---|---|---|", *rows])
