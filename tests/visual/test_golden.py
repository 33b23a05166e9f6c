"""The windows as they were looked at, in both themes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hlprof_core.io.writers import write_trace
from hlprof_gui.main_window import MainWindow
from hlprof_gui.notify import Notifier
from hlprof_gui.settings import Settings
from hlprof_gui.state.arrangement import Arrangement
from hlprof_gui.state.groups import groups_of
from hlprof_gui.state.view_state import Edge, Item, Measure
from hlprof_gui.theme.theme import Theme
from tests.gui.conftest import wait_idle
from tests.rank_trace import write_ranks
from tests.small_trace import slice_named, small_trace
from tests.visual.golden_picture import LARGE, compare, pixels


@pytest.fixture(params=["dark", "light"])
def theme(qapp: Any, request: pytest.FixtureRequest) -> Iterator[Theme]:
    theme = Theme(request.param)
    theme.apply(qapp)
    yield theme
    qapp.setStyleSheet("")


@pytest.fixture
def window(qtbot: QtBot, theme: Theme, tmp_path: Path) -> Iterator[MainWindow]:
    """The small trace, looked at closely."""
    file = tmp_path / "small.json"
    write_trace(small_trace(), file)
    yield from opened(qtbot, theme, tmp_path, file)


@pytest.fixture
def ranks(qtbot: QtBot, theme: Theme, tmp_path: Path) -> Iterator[MainWindow]:
    """A trace of several ranks."""
    yield from opened(qtbot, theme, tmp_path, write_ranks(tmp_path))


def opened(qtbot: QtBot, theme: Theme, tmp_path: Path, file: Path) -> Iterator[MainWindow]:
    window = MainWindow(Settings(tmp_path / "w.ini"), theme, Notifier(), backend="image")
    window.resize(1280, 800)
    window.show()
    window.open_path(file)
    qtbot.waitUntil(lambda: window.state.trace is not None, timeout=10_000)
    wait_idle(qtbot, window)
    yield window
    window.keeper.may_ask = False
    window.close()
    window.deleteLater()
    qtbot.wait(1)


def test_the_window_with_everything_on_it(window: MainWindow, theme: Theme, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    state = window.state
    trace = state.trace
    assert trace is not None
    start = trace.span.start_ns
    state.select(Item("slice", slice_named(trace, "relu")))
    state.set_measures([Measure(Edge(start + 100), Edge(start + 430))])
    state.add_mark(start + 600, "look here", 150)
    state.set_arrangement(Arrangement().pin([len(trace.tracks) - 1]))
    window.timeline.canvas.clearFocus()
    QApplication.processEvents()
    compare(window.grab().toImage(), f"window-{theme.palette.name}", request, tmp_path)


def test_rows_grouped_by_engine(ranks: MainWindow, theme: Theme, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    ranks.actions_by_id["row.group_by_engine"].trigger()
    state = ranks.state
    host = int(groups_of(state.trace, "engine").owner[3])
    state.set_arrangement(state.arrangement.pin([5]).hide([2]))
    state.set_collapsed({host})
    ranks.timeline.canvas.clearFocus()
    QApplication.processEvents()
    compare(ranks.grab().toImage(), f"grouped-{theme.palette.name}", request, tmp_path)


def test_the_landing_page(qtbot: QtBot, theme: Theme, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    window = MainWindow(Settings(tmp_path / "w.ini"), theme, Notifier(), backend="image")
    window.resize(1200, 700)
    window.show()
    compare(window.grab().toImage(), f"landing-{theme.palette.name}", request, tmp_path)
    window.close()
    window.deleteLater()
    qtbot.wait(1)


def test_the_comparison_can_fail(window: MainWindow) -> None:
    image = window.grab().toImage()
    other = QImage(image)
    other.fill(0)
    difference = np.abs(pixels(image)[:, :, :3].astype(int) - pixels(other)[:, :, :3].astype(int)).max(axis=2)
    assert (difference > LARGE).mean() > 0.01
