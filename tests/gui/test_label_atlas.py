"""Names inside slices: how they are cut, what happens when there is no room for more, and how they are spread over frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hlprof_core.trace.strings import Strings
from hlprof_gui.timeline.labels import LabelAtlas


def test_labels_are_cut_between_letters_and_kept_when_the_atlas_is_full(theme: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["", *(f"operation number {i} with a long name" for i in range(300)), "short", "tab\there", "日本語 🙂", "x" * 5000]
    monkeypatch.setattr("hlprof_gui.timeline.labels.MAX_LINES", 200)
    atlas = LabelAtlas(Strings.of(names), theme.small_font, 1.0)
    text = np.full(1, 0xFFFFFFFF, np.uint32)
    tops = np.zeros(1, np.int64)
    for name in range(1, len(names)):
        for width in (400, 60, 20, 5):
            placed = atlas.place(np.array([[0, 10, 10 + width, 0]], np.int32), np.array([name], np.uint32), tops, text)
            assert placed.missing == 0
            for x, _y, sx, sy, w, _ink in placed.quads.tolist():
                assert x >= 14
                assert x + w <= 10 + width - 3
                assert sx + w <= atlas.cover.shape[1]
                assert sy + atlas.height <= atlas.cover.shape[0]
    short = names.index("short")
    placed = atlas.place(np.array([[0, 0, 100, 0]], np.int32), np.array([short], np.uint32), tops, text)
    assert len(placed.quads) == 1
    assert len(atlas.place(np.array([[0, 0, 60, 0]], np.int32), np.array([1], np.uint32), tops, text).quads) == 2


def test_no_name_is_lost_when_the_atlas_is_cleared_for_others(theme: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hlprof_gui.timeline.labels.MAX_LINES", 60)
    atlas = LabelAtlas(Strings.of(["", *(f"operation number {i} with name" for i in range(300))]), theme.small_font, 1.0)

    def place(first: int, last: int, limit: int = 40) -> tuple[int, int]:
        names = np.arange(first, last, dtype=np.uint32)
        boxes = np.array([[0, 0, 400, 0]] * len(names), np.int32)
        placed = atlas.place(boxes, names, np.zeros(1, np.int64), np.full(len(names), 0xFF000000, np.uint32), limit)
        return len(placed.quads), placed.missing

    assert place(1, 31) == (30, 0)
    cleared = [place(first, first + 25) for first in range(25, 200, 10)]
    assert cleared == [(25, 0)] * len(cleared)
    # More names in one frame than there is room for: those that have room, and it comes to an end.
    fits, missing = place(1, 301, 1 << 30)
    assert 30 < fits < 300
    assert missing == 0
    found = [place(1, 301) for _ in range(12)]
    assert found[-1] == found[-2] == (fits, 0)
    assert place(250, 275) == (25, 0)


def test_new_labels_are_spread_over_frames(theme: Any) -> None:
    atlas = LabelAtlas(Strings.of(["", *(f"name {i}" for i in range(100))]), theme.small_font, 1.0)
    boxes = np.array([[0, 0, 200, 0]] * 100, np.int32)
    text = np.full(100, 0xFF000000, np.uint32)
    missing = [atlas.place(boxes, np.arange(1, 101, dtype=np.uint32), np.zeros(1, np.int64), text).missing for _ in range(3)]
    assert missing == [60, 20, 0]
