"""Raw events on their way from a reader to the builder: blocks of columns in file order, before begin meets end."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from hlprof_core.trace.table import F8, I1, I8, U4, U8

NO_TIME = np.iinfo(np.int64).min
"""``ts_ns`` of an event without a readable time, ``dur_ns`` of one without duration."""

ENCLOSING = 1
"""Flow flag: ``bp`` is ``e``, the arrow binds to the enclosing slice."""
SCOPE_PROCESS, SCOPE_GLOBAL = 2, 4
"""Instant flags; none of them: thread scope."""


class EventBlock(Struct, frozen=True):
    """Events of any phase but M and C. ``row``: builder row of (pid, tid); ``name``, ``cat``, ``id``: string ids, 0 = none.

    ``id`` of async and flow events is a string id unique for what must match: the file's id with scope and local/global kind
    (and, where local, the process) folded in.
    """

    phase: I1
    ts_ns: I8
    dur_ns: I8
    row: U4
    name: U4
    cat: U4
    id: U4
    args_offset: U8
    args_length: U4
    flags: I1

    def __len__(self) -> int:
        return len(self.phase)


class SampleBlock(Struct, frozen=True):
    """Counter samples: one row for each series of a C event; ``id`` 0 when the counter has none."""

    time_ns: I8
    row: U4
    name: U4
    series: U4
    id: U4
    value: F8

    def __len__(self) -> int:
        return len(self.time_ns)
