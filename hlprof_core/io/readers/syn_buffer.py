"""The buffer that ``synProfilerGetTrace`` fills, written to a file as it is: records of events with their texts behind them."""

from __future__ import annotations

import struct

import numpy as np
import orjson

from hlprof_core.diagnostics import FIRST_PLACES
from hlprof_core.errors import TraceDamaged
from hlprof_core.io.readers.reader import Contents
from hlprof_core.io.readers.syn_layout import (
    COUNTER_ARGS,
    EVENT_ARGS,
    EXTRA,
    EXTRA_DOUBLE,
    EXTRA_TEXT,
    META_ARGS,
    RECORD,
    TAIL,
    Records,
    Texts,
    count_records,
    looks_like,
    nanoseconds,
)
from hlprof_core.io.source import BLOCK, ByteSource
from hlprof_core.progress import Progress
from hlprof_core.trace.builder import TraceBuilder

SNIFFED = 8
CHUNK = 1 << 15
"""Records between two looks at whether to go on."""
SPMU = "SPMU"


class SynBuffer:
    """Told by what its records must be, as it has no magic."""

    name, title, suffixes = "syn-buffer", "synProfilerGetTrace buffer", (".bin",)

    def sniff(self, head: bytes) -> int:
        count = min(SNIFFED, (len(head) - TAIL) // RECORD.itemsize)
        if count < 1:
            return 0
        sure = next((n for n in range(count, 0, -1) if looks_like(np.frombuffer(head, RECORD, n))), 0)
        return min(80, 40 + 10 * sure) if sure else 0

    def read(self, source: ByteSource, build: TraceBuilder, progress: Progress) -> Contents:
        parts, at = [], 0
        while part := source.read(at, 16 * BLOCK):
            parts.append(part)
            at += len(part)
            progress.report("read", at, source.size or at)
        return _Buffer(memoryview(b"".join(parts)), source, build, progress).read()


class _Buffer:
    def __init__(self, data: memoryview, source: ByteSource, build: TraceBuilder, progress: Progress) -> None:
        self.data, self.source, self.build, self.progress = data, source, build, progress
        self.lost: dict[str, list[str]] = {"text": [], "time": [], "phase": [], "meta": []}
        self.lost_count = dict.fromkeys(self.lost, 0)
        self.encoded: dict[tuple[bytes, int], bytes] = {}
        self.texts = Texts(data, 0, 0)

    def read(self) -> Contents:
        stated, version = struct.unpack("<QQ", self.data[-TAIL:])
        count, whole = count_records(self.data, stated)
        if not count:
            message = f"{self.source.path}: a trace buffer without a whole record."
            raise TraceDamaged(message, offset=0, hint="Record it again.")
        end = len(self.data) - (TAIL if whole else 0)
        records = np.frombuffer(self.data, RECORD, count)
        self.texts = Texts(self.data, count * RECORD.itemsize, end)
        self.texts.find_base(self._addresses(records))
        for start in range(0, count, CHUNK):
            self.progress.report("read", start * RECORD.itemsize, len(self.data))
            self._feed(records[start : start + CHUNK], start)
        if not whole:
            message = "The buffer is cut off: its counts are missing, and texts may be."
            self.build.log.add("read.truncated", "data-loss", message, first=(f"byte {len(self.data)}",), hint="Write all of the buffer.")
        self._report()
        return Contents(properties={"parserVersion": version} if whole else {})

    def _addresses(self, records: Records) -> np.ndarray:
        args = records["args"].copy().view(EVENT_ARGS).ravel()
        is_meta, is_counter = records["phase"] == ord("M"), records["phase"] == ord("C")
        plain = args[~is_meta & ~is_counter]
        meta = args[is_meta].view(np.uint8).reshape(-1, EVENT_ARGS.itemsize)[:, :16].copy().view("<u8").ravel()
        parts = (records["name"], records["category"], plain["data_type"], plain["operation"], plain["recipe_name"], meta)
        return np.concatenate([part.astype(np.uint64) for part in parts])

    def _feed(self, records: Records, first: int) -> None:
        names, categories = records["name"].tolist(), records["category"].tolist()
        phases = records["phase"].tobytes().decode("latin-1")
        times, durations = nanoseconds(records["time"]), nanoseconds(records["duration"])
        pids, tids, contexts = (records[key].tolist() for key in ("engine_type", "engine_index", "context"))
        args = records["args"].tobytes()
        build = self.build
        for i, phase in enumerate(phases):
            where, pid, tid = first + i, pids[i], tids[i]
            raw = args[i * EVENT_ARGS.itemsize : (i + 1) * EVENT_ARGS.itemsize]
            name, category = self._text(names[i], where), self._text(categories[i], where)
            time_ns = times[i]
            if phase == "M":
                self._metadata(name, pid, tid, raw, where)
            elif time_ns is None:
                self._lose("time", where)
            elif phase == "C":
                self._counter(name, category, pid, tid, time_ns, raw)
            elif phase == "B":
                build.begin(pid, tid, time_ns, name, cat=category, args=self._arguments(raw, contexts[i], where))
            elif phase == "E":
                build.end(pid, tid, time_ns, name, args=self._arguments(raw, contexts[i], where))
            elif phase == "X":
                build.slice(pid, tid, time_ns, durations[i], name, cat=category, args=self._arguments(raw, contexts[i], where))
            elif phase in "iI":
                build.instant(pid, tid, time_ns, name, cat=category, args=self._arguments(raw, contexts[i], where))
            elif phase in "stf":
                build.flow(phase, pid, tid, time_ns, contexts[i], name=name, cat=category)
            else:
                self._lose("phase", where)

    def _metadata(self, kind: str, pid: int, tid: int, raw: bytes, where: int) -> None:
        meta = np.frombuffer(raw, META_ARGS, 1)[0]
        said, group = self._text(int(meta["name"]), where), self._text(int(meta["group"]), where)
        if kind == "process_name" and said:
            self.build.process(pid, said, labels=(group,) if group else ())
        elif kind == "thread_name" and said:
            self.build.thread(pid, tid, said)
        else:
            self._lose("meta", where)

    def _counter(self, name: str, category: str, pid: int, tid: int, time_ns: int, raw: bytes) -> None:
        if category == SPMU:
            values = {"value": float(int.from_bytes(raw[:8], "little"))}
        else:
            entry = np.frombuffer(raw[: COUNTER_ARGS.itemsize], COUNTER_ARGS, 1)[0]
            values = {"Min": float(entry["min"]), "Max": float(entry["max"]), "Avg": float(entry["avg"]), "Match": float(entry["matches"])}
        self.build.counter(pid, time_ns, name, values, counter_id=str(tid))

    def _arguments(self, raw: bytes, context: int, where: int) -> bytes:
        """JSON text of the arguments; launches repeat, so most come from memory."""
        known = self.encoded.get((raw, context))
        if known is not None:
            return known
        entry = np.frombuffer(raw, EVENT_ARGS, 1)[0]
        args: dict[str, object] = {}
        for key, field in (("dtype", "data_type"), ("op", "operation"), ("Recipe name", "recipe_name")):
            if text := self._text(int(entry[field]), where):
                args[key] = text
        args |= {key: number for key, number in (("Recipe id", int(entry["recipe_id"])), ("Context id", context)) if number}
        handles = (("streamHandle", int(entry["stream"])), ("eventHandle", int(entry["event"])))
        args |= {key: hex(handle) for key, handle in handles if handle}
        count = int(entry["extra_count"])
        block = self.texts.block(int(entry["extra"]), count * EXTRA.itemsize) if count else b""
        if count and not block:
            self._lose("text", where)
        for extra in np.frombuffer(block, EXTRA):
            value = extra["value"].tobytes()
            number = int.from_bytes(value, "little")
            said: object = number
            if extra["kind"] == EXTRA_TEXT:
                said = self._text(number, where)
            elif extra["kind"] == EXTRA_DOUBLE:
                said = struct.unpack("<d", value)[0]
            args[self._text(int(extra["key"]), where)] = said
        encoded = self.encoded[raw, context] = orjson.dumps(args) if args else b""
        return encoded

    def _text(self, address: int, where: int) -> str:
        text = self.texts.text(address)
        if text is None:
            self._lose("text", where)
            return ""
        return text

    def _lose(self, what: str, where: int) -> None:
        self.lost_count[what] += 1
        if len(self.lost[what]) < FIRST_PLACES:
            self.lost[what].append(f"record {where}, byte {where * RECORD.itemsize}")

    def _report(self) -> None:
        log, count, first = self.build.log, self.lost_count, {key: tuple(places) for key, places in self.lost.items()}
        message = "Texts outside of the buffer: they are empty here."
        log.add("read.bad_text", "data-loss", message, count=count["text"], first=first["text"], hint="Write all of the buffer.")
        log.add("read.bad_ts", "data-loss", "Records without a readable time were left out.", count=count["time"], first=first["time"])
        log.add("read.unknown_phase", "data-loss", "Records of unknown types were left out.", count=count["phase"], first=first["phase"])
        log.add("read.other_metadata", "info", "Metadata that says nothing about rows.", count=count["meta"], first=first["meta"])
