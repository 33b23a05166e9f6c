"""How long it takes to make files of a recording. Medians of twelve recordings of the model on one core of a 2.x GHz server."""

from __future__ import annotations

DEVICE_EVENT_NS = 900
"""Decode and compose a hardware event, once for each trace it is in."""
HOST_EVENT_NS = 4000
JSON_BYTE_NS = 3.0
"""Format a byte of JSON text."""
PACK_BYTE_NS = 4.0
"""Pack a byte of JSON text."""
CSV_BYTE_NS = 20.0
FILE_NS = 2_000_000
"""Each file: its name, its temporary, its renaming."""
