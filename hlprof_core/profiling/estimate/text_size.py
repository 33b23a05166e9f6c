"""How long a trace is as a file, told apart by what its lines are: measured with the writers themselves on a small sample."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from hlprof_core.io.writers.writer import Writer
    from hlprof_core.trace.model import Trace

_ARROW = re.compile(rb'\{"ph":"[stf]"')
_METADATA = b'{"ph":"M"'


class TextSize(Struct, frozen=True):
    """Bytes: ``events`` without arrows, ``arrow`` of one (both of its ends), ``head`` what a file has once. ``packing``: share that
    gzip leaves of the events, ``packed_head`` of what is there once. The CSV has no arrows."""

    json_events: float
    json_arrow: float
    json_head: float
    packed_head: float
    packing: float
    csv_events: float
    csv_head: float


def measure_text(trace: Trace, *, with_csv: bool = True) -> TextSize:
    """Write the trace into memory and look at its lines."""
    from hlprof_core.io.writers.chrome_json import ChromeJsonWriter
    from hlprof_core.io.writers.gaudi_csv import GaudiCsvWriter

    text = _written(ChromeJsonWriter(), trace)
    # Properties come before the list and hold no line break of their own.
    head, _, body = text.partition(b'"traceEvents":[\n')
    events = arrows = arrow_lines = 0
    once = [head, b'"traceEvents":[']
    for line in body.split(b"\n"):
        size = len(line) + 1
        if _ARROW.match(line):
            arrows += size
            arrow_lines += 1
        elif line.startswith(_METADATA) or not line.startswith(b"{"):
            once.append(line)
        else:
            events += size
    csv_head, _, rows = _written(GaudiCsvWriter(), trace).partition(b"\n") if with_csv else (b"", b"", b"")
    top = b"\n".join(once)
    packed_head = packed_size(top)
    packing = (packed_size(text) - packed_head) / (events + arrows) if events + arrows else 0.0
    arrow = 2 * arrows / arrow_lines if arrow_lines else 0.0
    return TextSize(events, arrow, len(top), packed_head, packing, len(rows), len(csv_head) + 1)


def packed_size(data: bytes) -> int:
    """Bytes under gzip as the writers pack."""
    from hlprof_core.io.writers.gzip import pack_gzip

    out = io.BytesIO()
    with pack_gzip(out) as packed:
        packed.write(data)
    return len(out.getvalue())


def _written(writer: Writer, trace: Trace) -> bytes:
    from hlprof_core.io.writers.writer import Export

    out = io.BytesIO()
    writer.write(Export(trace), out)
    return out.getvalue()
