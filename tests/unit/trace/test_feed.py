"""Blocks of events become one."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from hlprof_core.trace import feed
from hlprof_core.trace.events import EventBlock
from hlprof_core.trace.feed import COLUMNS, Joining


def block(*times: int) -> EventBlock:
    return EventBlock(*(np.array(times, kind) for kind in COLUMNS))


@pytest.mark.parametrize("sizes", [(), (0,), (0, 0), (0, 3), (3, 0), (2, 0, 5, 0, 1)])
def test_blocks_keep_their_order_and_empty_ones_add_nothing(sizes: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "COPIED", 16)
    borders = np.cumsum([0, *sizes]).tolist()
    blocks = [block(*range(start, end)) for start, end in pairwise(borders)]
    joining = Joining(blocks)
    joining.work(lambda: None)
    joined = joining.result()
    for name, kind in zip(EventBlock.__struct_fields__, COLUMNS, strict=True):
        column = getattr(joined, name)
        assert column.dtype == kind
        assert column.tolist() == list(range(borders[-1]))
    assert not blocks
    assert joining.copied == sum(getattr(joined, name).nbytes for name in EventBlock.__struct_fields__)
