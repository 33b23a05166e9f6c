"""``hlprof render`` gives the picture of the window, pixel for pixel, and so does the exported picture."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hlprof_core.progress import Progress
from hlprof_gui.timeline.picture import prepare_picture
from tests.gui.conftest import wait_idle

MOST_OFF = 3
"""Difference of a colour that nobody sees: two platforms may round the edges of letters differently."""


@pytest.fixture
def everything(tmp_path: Path) -> Path:
    """A trace with rows of every kind: slices, overlaps, instants, one without an end, counters, steps."""
    names = ((1, "MME"), (2, "Host"))
    events: list[dict[str, Any]] = [{"ph": "M", "pid": p, "name": "process_name", "args": {"name": name}} for p, name in names]
    for step in range(4):
        at = step * 1000
        events += [
            {"ph": "X", "pid": 2, "tid": 1, "name": f"ProfilerStep#{step}", "ts": at, "dur": 950, "cat": "user_annotation"},
            {"ph": "X", "pid": 2, "tid": 1, "name": "forward", "ts": at + 50, "dur": 400},
            {"ph": "X", "pid": 1, "tid": 0, "name": f"gemm_{step}", "ts": at + 100, "dur": 300},
            {"ph": "X", "pid": 1, "tid": 0, "name": "overlapping", "ts": at + 250, "dur": 400},
            {"ph": "i", "pid": 2, "tid": 1, "name": "mark", "ts": at + 700, "s": "t"},
        ]
    events += [{"ph": "C", "pid": 2, "name": "memory", "ts": t, "args": {"used": t % 700, "kept": 300}} for t in range(0, 4000, 40)]
    events.append({"ph": "B", "pid": 1, "tid": 1, "name": "unfinished", "ts": 3000})
    path = tmp_path / "everything.json"
    path.write_text(json.dumps({"traceEvents": events}))
    return path


def pixels(image: QImage) -> np.ndarray:
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)[..., :3].astype(int)


def test_render_gives_the_picture_of_the_window(window: Any, qtbot: QtBot, everything: Path, tmp_path: Path) -> None:
    window.open_path(everything)
    wait_idle(qtbot, window)
    window.resize(1400, 900)
    qtbot.wait(30)
    timeline = window.timeline
    assert not timeline.scroll_bar.isEnabled(), "all rows are in sight"
    QApplication.sendEvent(timeline.canvas, QEvent(QEvent.Type.Leave))
    exported = tmp_path / "exported.png"
    prepare_picture(timeline, exported)(Progress())
    # The scroll bar has its place in the window whether rows are hidden or not; a picture has none.
    bar = timeline.scroll_bar.width()
    size = f"{timeline.width() - bar}x{timeline.height()}"
    rendered = tmp_path / "rendered.png"
    command = [sys.executable, "-m", "hlprof_core.cli.main", "render", str(everything), str(rendered), "--size", size]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    shown = pixels(timeline.grab().toImage())[:, :-bar]
    for name, path in (("rendered", rendered), ("exported", exported)):
        picture = pixels(QImage(str(path)))[:, : shown.shape[1]]
        assert picture.shape == shown.shape, name
        off = np.abs(picture - shown).max(axis=2) > MOST_OFF
        assert off.mean() < 0.0005, f"{name}: {off.sum()} pixels differ, first at {np.argwhere(off)[0]}"
