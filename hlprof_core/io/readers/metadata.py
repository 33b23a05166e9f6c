"""Metadata events (phase M): names, labels and order of processes and threads. The last one in the file wins."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from hlprof_core._kernels import scan
from hlprof_core.io.readers.identity import BareId, of_value, row_ids
from hlprof_core.trace.builder import TraceBuilder


def feed_metadata(scanners: list[scan.Scanner], build: TraceBuilder, check: Callable[[], None]) -> None:
    """Give the builder what the metadata events of these scanners say. ``check`` is called for each of them and may raise."""
    unreadable = unknown = 0
    names: set[str] = set()
    for event in _decoded(scanners):
        check()
        if not isinstance(event, dict):
            unreadable += 1
            continue
        outcome = _apply(event, build)
        unreadable += outcome is False
        if outcome is None:
            unknown += 1
            names.add(str(event.get("name")))
    build.log.add("read.bad_metadata", "notice", "Metadata events without a usable value were left out.", count=unreadable)
    build.log.add("read.other_metadata", "info", "Metadata that says nothing about rows.", count=unknown, first=tuple(sorted(names)))


def _decoded(scanners: list[scan.Scanner]) -> Iterator[Any]:
    for scanner in scanners:
        text, starts = scanner.meta()
        if not starts:
            continue
        try:
            events = orjson.loads(b"[" + text + b"]")
        except orjson.JSONDecodeError:
            events = [None] * len(starts)
        for i, event in enumerate(events):
            if event is None or isinstance(event.get("pid"), float) or isinstance(event.get("tid"), float):
                end = starts[i + 1] - 1 if i + 1 < len(starts) else len(text)
                yield _slowly(text[starts[i] : end])
            else:
                yield event


def _slowly(text: bytes) -> Any:
    """For what the quick decoder refuses (bare NaN, trailing commas) or would round: numbers that are not whole come as text."""
    try:
        return json.loads(text.decode("utf-8", "replace"), parse_float=BareId, strict=False)
    except (ValueError, RecursionError):
        return None


def _apply(event: dict[str, Any], build: TraceBuilder) -> bool | None:
    """True: used; False: no usable value; None: a kind that is not about rows."""
    args = event.get("args")
    if not isinstance(args, dict):
        args = {}
    pid, tid = row_ids(of_value(event.get("pid")), of_value(event.get("tid")))
    match event.get("name"):
        case "process_name" if "name" in args:
            build.process(pid, _text(args["name"]))
        case "thread_name" if "name" in args:
            build.thread(pid, tid, _text(args["name"]))
        case "process_labels" if "labels" in args:
            build.process(pid, labels=_labels(args["labels"]))
        case "process_sort_index" | "thread_sort_index" as kind:
            index = _index(args.get("sort_index"))
            if index is None:
                return False
            if kind == "process_sort_index":
                build.process(pid, sort_index=index)
            else:
                build.thread(pid, tid, sort_index=index)
        case "process_name" | "thread_name" | "process_labels":
            return False
        case _:
            return None
    return True


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text.encode("utf-8", "replace").decode()


def _labels(value: Any) -> tuple[str, ...]:
    parts = value if isinstance(value, list) else str(value).split(",")
    return tuple(dict.fromkeys(text for text in (_text(part).strip() for part in parts) if text))


def _index(value: Any) -> int | None:
    try:
        index = int(float(value)) if not isinstance(value, int) else int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return max(-(1 << 62), min(index, 1 << 62))
