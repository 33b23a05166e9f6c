"""What the file says about who wrote it: which rows are the host's although their names do not say so, the rank, the wall clock of time 0.

    VizTracer   viztracer_metadata        Bazel     otherData with build_id, profile_start_ts (ms)
    clang       beginningOfTime (µs)      Chrome    threads CrBrowserMain, CrRendererMain ...
    Kineto      schemaVersion, labels CPU, GPU 0, HPU 0, MTIA 0; distributedInfo, traceName
    rocprof     processes CPU HIP API, COPY, GPU0; threads Hip 1234 (rocpd)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

_CLANG = re.compile(r"clang(\+\+|-cl)?(-\d+)?(\.exe)?")
_CHROME_THREADS = frozenset(("CrBrowserMain", "CrRendererMain", "CrGpuMain", "CrUtilityMain"))
_KINETO = frozenset(("schemaVersion", "deviceProperties", "distributedInfo"))
_ROCM_HOST = re.compile(r"CPU H(IP|SA) API|Markers and Ranges|Hip \d+")
_RANK = re.compile(r"(?:^|[^a-z])rank[-_. ]?(\d{1,6})(?!\d)", re.IGNORECASE)


class Producer(Enum):
    """Who wrote a trace; the value is its name for people."""

    UNKNOWN = ""
    VIZTRACER = "VizTracer"
    CLANG = "clang -ftime-trace"
    BAZEL = "Bazel"
    CHROME = "Chrome"
    KINETO = "PyTorch (Kineto)"
    ROCM = "rocprof"


HOST_ONLY = frozenset((Producer.VIZTRACER, Producer.CLANG, Producer.BAZEL, Producer.CHROME))
"""All of their rows are threads of the host."""


def recognise(properties: Mapping[str, Any], processes: Iterable[str], threads: Iterable[str]) -> Producer:
    """The producer by top-level facts of the file, else by names of processes and threads."""
    other = properties.get("otherData")
    if "viztracer_metadata" in properties:
        return Producer.VIZTRACER
    if "beginningOfTime" in properties:
        return Producer.CLANG
    if isinstance(other, dict) and ("build_id" in other or "bazel_version" in other):
        return Producer.BAZEL
    if properties.keys() & _KINETO:
        return Producer.KINETO
    names, rows = list(processes), list(threads)
    if any(_CHROME_THREADS.intersection((row,)) for row in rows):
        return Producer.CHROME
    if names and all(_CLANG.fullmatch(name) for name in names):
        return Producer.CLANG
    if any(_ROCM_HOST.fullmatch(name) for name in (*names, *rows)):
        return Producer.ROCM
    return Producer.UNKNOWN


def engine_of_row(producer: Producer, process: str, labels: Iterable[str], thread: str) -> str:
    """The class of a row whose names say none by themselves, or ""."""
    if producer in HOST_ONLY:
        return "HOST"
    if producer is Producer.KINETO and "CPU" in labels:
        return "HOST"
    if producer is Producer.ROCM:
        return "HOST" if _ROCM_HOST.fullmatch(process) or _ROCM_HOST.fullmatch(thread) else "DMA" if process == "COPY" else ""
    return ""


def rank_of(properties: Mapping[str, Any]) -> int:
    """Rank in the group of processes, where the file states it: in ``distributedInfo``, or in the name it was written under; else -1."""
    info = properties.get("distributedInfo")
    rank = info.get("rank") if isinstance(info, dict) else None
    if isinstance(rank, str) and rank.isdecimal():
        rank = int(rank)
    if isinstance(rank, int) and not isinstance(rank, bool) and 0 <= rank < 1 << 31:
        return rank
    name = properties.get("traceName")
    return rank_in_name(name.rsplit("/", 1)[-1]) if isinstance(name, str) else -1


def rank_in_name(name: str) -> int:
    """``rank3`` or ``rank-3`` as a word of a file name, else -1."""
    found = _RANK.search(name)
    return int(found[1]) if found else -1


def base_of(properties: Mapping[str, Any]) -> int | None:
    """Wall clock of time 0 in ns since 1970, where the file states it."""
    other = properties.get("otherData")
    bazel = other.get("profile_start_ts") if isinstance(other, dict) else None
    stated = ((properties.get("baseTimeNanoseconds"), 1), (properties.get("beginningOfTime"), 1000), (bazel, 1_000_000))
    for value, unit in stated:
        if isinstance(value, int | str) and not isinstance(value, bool):
            try:
                return int(value) * unit
            except ValueError:
                continue
    return None
