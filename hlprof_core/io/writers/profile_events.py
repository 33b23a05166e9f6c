"""Objects and samples of a trace as lines of JSON, and the table ``stackFrames`` that samples and slices point into."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hlprof_core.io.writers.argument_block import read_arguments
from hlprof_core.io.writers.chrome_events import Identities, Names, microseconds, number_text
from hlprof_core.trace.model import Trace
from hlprof_core.trace.table import NO_END, NO_FRAME

BLOCK = 16384


def stack_frames(trace: Trace) -> bytes:
    """The member ``stackFrames`` with its comma; nothing for a trace without stacks."""
    if not len(trace.frames):
        return b""
    text = Names(trace).text
    rows = zip(trace.frames.name.tolist(), trace.frames.parent.tolist(), strict=True)
    frames = b",".join(
        b'"%d":{"name":%b%b}' % (number, text(name), b"" if parent == NO_FRAME else b',"parent":"%d"' % parent)
        for number, (name, parent) in enumerate(rows)
    )
    return b'"stackFrames":{' + frames + b"},\n"


def sample_lines(trace: Trace, ids: Identities) -> Iterator[list[bytes]]:
    """Samples in order of time, by blocks."""
    table, text, strings = trace.stack_samples, Names(trace).text, trace.strings
    for begin in range(0, len(table), BLOCK):
        part = slice(begin, begin + BLOCK)
        args = read_arguments(trace.args_text, table.args_offset[part], table.args_length[part])
        columns = (table.pid[part], table.tid[part], table.name[part], table.weight[part], table.frame[part])
        lines = []
        for time, raw, (pid, tid, name, weight, frame) in zip(
            microseconds(table.time_ns[part]), args, zip(*(c.tolist() for c in columns), strict=True), strict=True
        ):
            line = b'{"ph":"P","name":%b,%b,"ts":%b' % (text(name), ids.of_texts(strings[pid], strings[tid]), time)
            if weight != 1:
                line += b',"weight":' + number_text(weight)
            if frame != NO_FRAME:
                line += b',"sf":"%d"' % frame
            lines.append(line + (b',"args":' + raw if raw else b"") + b"}")
        yield lines


def object_lines(trace: Trace, ids: Identities) -> Iterator[list[bytes]]:
    """Life by life, as lives of one object follow each other: created, seen, deleted."""
    table, text, strings = trace.objects, Names(trace).text, trace.strings
    args = read_arguments(trace.args_text, table.args_offset, table.args_length)
    seen = microseconds(table.snapshot_ns)
    starts, ends = microseconds(table.start_ns), microseconds(np.where(table.end_ns == NO_END, 0, table.end_ns))
    for i in range(len(table)):
        who = b'"id":%b,"name":%b,%b' % (text(int(table.id[i])), text(int(table.name[i])), ids.of_texts(strings[int(table.pid[i])]))
        snapshots = range(int(table.offsets[i]), int(table.offsets[i + 1]))
        lines = [b'{"ph":"N",%b,"ts":%b}' % (who, starts[i])]
        lines += [b'{"ph":"O",%b,"ts":%b%b}' % (who, seen[k], b',"args":' + args[k] if args[k] else b"") for k in snapshots]
        if table.end_ns[i] != NO_END:
            lines.append(b'{"ph":"D",%b,"ts":%b}' % (who, ends[i]))
        yield lines
