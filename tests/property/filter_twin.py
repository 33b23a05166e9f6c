"""The filter language once more, slow and plain: one slice at a time, on decoded arguments. Reads the tree, nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hlprof_core.analysis.filter import language
from hlprof_core.trace.model import Trace
from hlprof_core.units import parse_ns


def passes(trace: Trace, tree: language.Node | None, i: int) -> bool:
    """Whether slice ``i`` passes."""
    match tree:
        case None:
            return True
        case language.Not(inner):
            return not passes(trace, inner, i)
        case language.All(parts):
            return all(passes(trace, part, i) for part in parts)
        case language.Any(parts):
            return any(passes(trace, part, i) for part in parts)
        case language.Word(text):
            return text.casefold() in trace.name(i).casefold()
    return _term(trace, tree, i)


def _term(trace: Trace, term: language.Term, i: int) -> bool:
    s = trace.slices
    track = trace.tracks[int(s.track[i])]
    process, thread = trace.processes[track.process].name or f"Process {track.pid}", track.name or f"Thread {track.tid}"
    values = [v.text for v in term.values]
    start, dur = int(s.start_ns[i]), int(s.dur_ns[i])
    around, at = [], int(s.parent[i])
    while at >= 0:
        around.append(trace.name(at))
        at = int(s.parent[at])
    texts = {"name": trace.name(i), "cat": trace.strings[int(s.cat[i])]}
    texts |= {"process": process, "thread": thread, "track": f"{process} · {thread}"}
    whole = {"pid": track.pid, "tid": track.tid, "engine": track.engine or "none", "kind": track.kind}
    numbers = {"dur": dur, "start": start - trace.span.start_ns, "end": start + dur - trace.span.start_ns, "ts": start}
    numbers |= {"depth": int(s.depth[i]), "id": i, "rank": track.rank}
    if term.name in texts:
        return _text(texts[term.name], term.op, values)
    if term.name in whole:
        return _text(whole[term.name], "=" if term.op == ":" else term.op, values)
    if term.name == "parent":
        return bool(around) and _text(around[0], term.op, values)
    if term.name == "inside":
        return any(_text(name, term.op, values) for name in around)
    if term.name == "self":
        children = [c for c in range(len(s)) if int(s.parent[c]) == i]
        covered = {t for c in children for t in range(int(s.start_ns[c]), int(s.start_ns[c] + s.dur_ns[c]))}
        return _number(dur - len(covered & set(range(start, start + dur))), term.op, values)
    if term.name == "is":
        holds = {"unfinished": bool(s.flags[i] & 1), "root": not around, "leaf": not (s.parent == i).any(), "linked": False}
        return any(holds[v.lower()] for v in values) != (term.op == "!=")
    if term.name in numbers:
        return _number(numbers[term.name], term.op, values)
    return _argument(trace.args(i), term.key, term.op, values)


def _text(text: str, op: str, values: list[str]) -> bool:
    if op == "==":
        return text in values
    text, values = text.casefold(), [v.casefold() for v in values]
    if op == ":":
        return any(v in text for v in values)
    return any(_like(text, v) for v in values) == (op == "=")


def _like(text: str, pattern: str) -> bool:
    if not pattern:
        return not text
    if pattern[0] == "*":
        return any(_like(text[k:], pattern[1:]) for k in range(len(text) + 1))
    return bool(text) and text[0] == pattern[0] and _like(text[1:], pattern[1:])


def _number(number: int, op: str, values: list[str]) -> bool:
    def one(value: str) -> bool:
        if ".." in value:
            low, _, high = value.partition("..")
            return (not low or number >= parse_ns(low)) and (not high or number <= parse_ns(high))
        limit = parse_ns(value)
        return {":": number == limit, "=": number == limit, "!=": number == limit, "<": number < limit, "<=": number <= limit,
                ">": number > limit, ">=": number >= limit}[op]  # fmt: skip

    return any(one(v) for v in values) != (op == "!=")


def _argument(args: dict[str, Any], key: str, op: str, values: list[str]) -> bool:
    pairs = list(_flat(args))
    if not key:
        keys = {k for path in _paths(args) for k in path}
        return any(v.casefold() in text.casefold() for v in values for text in (*keys, *(_shown(x) for _, x in pairs)))
    found = [_at(args, path) for path in _paths(args) if ".".join(path).casefold() == key.casefold()]
    mine = [x for value in found for _, x in _flat(value)]
    if op == "==":
        return next((text for text in map(_whole, found) if text), None) in values
    if op == "!=":
        return any(_whole(value) and not any(_is(value, v) for v in values) for value in found)
    if op == ":":
        lists = [_whole(x) for x in found if isinstance(x, list)]
        return any(v.casefold() in text.casefold() for text in (*map(_shown, mine), *lists) for v in values)
    if op == "=":
        return any(_is(value, v) for value in found for v in values)
    known = [x for x in map(_as_number, mine) if x is not None]
    limits = [float(v) for v in values]
    return any({"<": x < v, "<=": x <= v, ">": x > v, ">=": x >= v}[op] for x in known for v in limits)


def _paths(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, inner in value.items() if isinstance(value, dict) else ():
        yield (*path, key)
        yield from _paths(inner, (*path, key))


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def _flat(value: Any, path: tuple[str, ...] = ()) -> Any:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, (*path, key))
    elif isinstance(value, list):
        for inner in value:
            yield from _flat(inner, path)
    else:
        yield path, value


def _shown(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _whole(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False) if isinstance(value, list | dict) else _shown(value)


def _is(value: Any, wanted: str) -> bool:
    if wanted == "*":
        return _whole(value) != ""
    is_all_of_it = isinstance(value, list | dict) and _whole(value).casefold() == wanted.casefold()
    return is_all_of_it or any(_equal(x, wanted) for _, x in _flat(value))


def _as_number(value: Any) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    try:
        return int(value, 16) if isinstance(value, str) and value.strip()[:2].lower() == "0x" else float(value)
    except ValueError:
        return None


def _equal(value: Any, wanted: str) -> bool:
    mine, other = _as_number(value), _as_number(wanted)
    return _like(_shown(value).casefold(), wanted.casefold()) or (mine is not None and mine == other)
