"""How long it takes to make files of a recording, on one core that has nothing else to do.

Processor time of composing and writing DLRM recordings of 60 000 to 180 000 hardware events and of 50 000 to 360 000 host calls, best of
three each, on a server of 2024; the recordings agree within 20 percent. A laptop takes half to twice as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hlprof_core.profiling.estimate.amount import Amount

DEVICE_EVENT_NS = 400
"""Decode and compose a hardware event."""
HOST_EVENT_NS = 3300
"""Compose a call."""
JSON_LINE_NS = 2100
CSV_ROW_NS = 6000
PACK_BYTE_NS = 1.1
FILE_NS = 1_000_000
"""Each file by itself: temporary, metadata, renaming."""


def compose_ns(amount: Amount) -> float:
    """Make a trace."""
    return amount.device_events * DEVICE_EVENT_NS + amount.host_events * HOST_EVENT_NS


def json_ns(amount: Amount) -> float:
    """Format a trace as JSON: a line an event, two an arrow."""
    return FILE_NS + (amount.device_events + amount.host_events + 2 * amount.arrows) * JSON_LINE_NS


def csv_ns(amount: Amount) -> float:
    """Write a trace as CSV: calls have a row for begin and end."""
    return FILE_NS + (amount.device_events + 2 * amount.host_events) * CSV_ROW_NS


def pack_ns(size_bytes: float) -> float:
    """Pack that much text."""
    return size_bytes * PACK_BYTE_NS
