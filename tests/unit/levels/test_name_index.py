"""Names to slices, and texts compared without case."""

from __future__ import annotations

import numpy as np
import pytest

from hlprof_core.errors import Cancelled
from hlprof_core.levels import name_index
from hlprof_core.levels.name_index import build_name_index
from hlprof_core.levels.text_set import TextSet
from hlprof_core.progress import Progress
from hlprof_core.trace.model import Trace
from tests.synthetic import busy_trace


@pytest.fixture(scope="module")
def trace() -> Trace:
    return busy_trace(4000, rows=6, names=40)


@pytest.mark.parametrize("few", [0, 1 << 18])
def test_slices_of_names_come_in_order_of_start(trace: Trace, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_index, "FEW", few)
    monkeypatch.setattr(name_index, "PIECE", 300)
    index = build_name_index(trace)
    wanted = index.texts.containing("RELU")
    slow = sorted((i for i in range(len(trace.slices)) if "relu" in trace.name(i)), key=lambda i: (int(trace.slices.start_ns[i]), i))
    assert index.count(wanted) == len(slow)
    assert index.slices(wanted).tolist() == slow
    mask = np.zeros(len(trace.slices), np.bool_)
    mask[slow] = True
    assert index.in_order(mask).tolist() == slow
    assert index.slices(np.ones(len(index.names), np.bool_)) is index.by_time


def test_a_long_list_that_nobody_wants_any_more_is_not_finished(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_index, "FEW", 0)
    index, progress = build_name_index(trace), Progress()
    wanted = index.texts.containing("relu")
    mask = np.isin(np.arange(len(trace.slices)), index.slices(wanted))
    progress.cancel()
    for listing in (lambda: index.slices(wanted, progress), lambda: index.in_order(mask, progress)):
        with pytest.raises(Cancelled):
            listing()


def test_each_name_lists_its_slices_by_start(trace: Trace) -> None:
    index = build_name_index(trace)
    for p, name in enumerate(index.names.tolist()):
        mine = index.by_name[index.offsets[p] : index.offsets[p + 1]]
        assert (trace.slices.name[mine] == name).all()
        assert (np.diff(trace.slices.start_ns[mine]) >= 0).all()


def test_texts_are_compared_whatever_their_case() -> None:
    texts = TextSet.of(["Gemm", "gemm_fwd", "", "Straße", "a*b"])
    assert texts.containing("GEMM").tolist() == [True, True, False, False, False]
    assert texts.containing("").all()
    assert texts.equal_to("strasse").tolist() == [False, False, False, True, False]
    assert texts.equal_to("").tolist() == [False, False, True, False, False]
    assert texts.like("g*m*").tolist() == [True, True, False, False, False]
    assert texts.like("*mm").tolist() == [True, False, False, False, False]
    assert texts.like("*").all()
    assert texts.like("**").all()
