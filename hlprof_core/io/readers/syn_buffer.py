"""The buffer that ``synProfilerGetTrace`` fills, written to a file as it is: records of events with their texts behind them."""

from __future__ import annotations

import struct

import numpy as np
import orjson

from hlprof_core.diagnostics import FIRST_PLACES
from hlprof_core.errors import TraceDamaged
from hlprof_core.io.readers.hardware_pairs import HardwarePairs
from hlprof_core.io.readers.reader import Contents
from hlprof_core.io.readers.syn_layout import (
    ARGS_BYTES,
    COUNTER_ARGS,
    DOUBLE,
    EVENT_ARGS,
    EXTRA,
    EXTRA_DOUBLE,
    EXTRA_TEXT,
    META_ARGS,
    RECORD,
    TAIL,
    TEXT_WORDS,
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
        self.pairs = HardwarePairs(build)
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
        self.pairs.finish()
        if not whole:
            message = "The buffer is cut off: its counts are missing, and texts may be."
            self.build.log.add("read.truncated", "data-loss", message, first=(f"byte {len(self.data)}",), hint="Write all of the buffer.")
        self._report()
        return Contents(properties={"parserVersion": version} if whole else {})

    def _addresses(self, records: Records) -> np.ndarray:
        """All addresses of texts."""
        words = records["args"].copy().view("<u8").reshape(-1, ARGS_BYTES // 8)
        is_meta, is_counter = records["phase"] == ord("M"), records["phase"] == ord("C")
        parts = (records["name"], records["category"], words[~is_meta & ~is_counter][:, TEXT_WORDS].ravel(), words[is_meta][:, :2].ravel())
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
            raw = args[i * ARGS_BYTES : (i + 1) * ARGS_BYTES]
            name, category = self._text(names[i], where), self._text(categories[i], where)
            time_ns = times[i]
            if phase == "M":
                self._metadata(name, pid, tid, raw, where)
            elif time_ns is None:
                self._lose("time", where)
            elif phase == "C":
                self._counter(name, category, pid, tid, time_ns, raw)
            elif phase == "B":
                self.pairs.begin(pid, tid, time_ns, name, contexts[i], self._arguments(raw, contexts[i], where), category)
            elif phase == "E":
                self.pairs.end(pid, tid, time_ns, name, contexts[i], self._arguments(raw, contexts[i], where))
            elif phase == "X":
                build.slice(pid, tid, time_ns, durations[i], name, cat=category, args=self._arguments(raw, contexts[i], where))
            elif phase in "iI":
                build.instant(pid, tid, time_ns, name, cat=category, args=self._arguments(raw, contexts[i], where))
            elif phase in "stf":
                build.flow(phase, pid, tid, time_ns, contexts[i], name=name, cat=category)
            else:
                self._lose("phase", where)

    def _metadata(self, kind: str, pid: int, tid: int, raw: bytes, where: int) -> None:
        said, group = (self._text(address, where) for address in META_ARGS.unpack_from(raw))
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
            values = dict(zip(("Min", "Max", "Avg", "Match"), map(float, COUNTER_ARGS.unpack_from(raw)), strict=True))
        self.build.counter(pid, time_ns, name, values, counter_id=str(tid))

    def _arguments(self, raw: bytes, context: int, where: int) -> bytes:
        """JSON text of the arguments; launches repeat, so most come from memory."""
        known = self.encoded.get((raw, context))
        if known is not None:
            return known
        data_type, operation, recipe, recipe_name, stream, event, count, extras = EVENT_ARGS.unpack_from(raw)
        said: tuple[tuple[str, object], ...] = (
            ("dtype", self._text(data_type, where)),
            ("op", self._text(operation, where)),
            ("Recipe name", self._text(recipe_name, where)),
            ("Recipe id", recipe),
            ("Context id", context),
            ("streamHandle", stream and hex(stream)),
            ("eventHandle", event and hex(event)),
        )
        args = {key: value for key, value in said if value}
        block = self.texts.block(extras, count * EXTRA.size) if count else b""
        if count and not block:
            self._lose("text", where)
        for key, kind, value in EXTRA.iter_unpack(block):
            number = int.from_bytes(value, "little")
            text = self._text(number, where) if kind == EXTRA_TEXT else ""
            args[self._text(key, where)] = text if kind == EXTRA_TEXT else DOUBLE.unpack(value)[0] if kind == EXTRA_DOUBLE else number
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
