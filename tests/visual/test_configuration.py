"""The configuration window as it was looked at, in both themes: the whole of it once, then each page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from hlprof_core.config.document import ProfConfig, default_path
from hlprof_core.profiling.estimate.estimate import Estimate
from hlprof_gui.config_window.page import PAGES
from hlprof_gui.config_window.window import ConfigurationWindow
from hlprof_gui.notify import Notifier
from hlprof_gui.settings import Settings
from hlprof_gui.theme.theme import Theme
from tests.visual.golden_picture import compare

FIGURES = Estimate(
    launches=10,
    host_events=196,
    device_events=15_164,
    events=15_360,
    buffer_bytes=64 << 20,
    buffer_limit_bytes=128 << 20,
    buffer_fill=0.5,
    first_lost_launch=None,
    file_bytes={"resnet_<pid>.hltv": 195_000},
    total_bytes=195_000,
    post_processing_ns=46_000_000,
    basis="dlrm (batch 512) on the model of Gaudi 2, 10 iterations",
    notes=("a run of 10 iterations is assumed.",),
)


@pytest.fixture(params=["dark", "light"])
def theme(qapp: Any, request: pytest.FixtureRequest) -> Iterator[Theme]:
    theme = Theme(request.param)
    theme.apply(qapp)
    yield theme
    qapp.setStyleSheet("")


@pytest.fixture
def window(qtbot: QtBot, theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ConfigurationWindow]:
    """A saved configuration with a warning, in the user's own file, and figures that no work on the model changes."""
    monkeypatch.setenv("HOME", str(tmp_path))
    config = ProfConfig()
    for name, value in (("session.name", "resnet"), ("hw.arch", "gaudi2"), ("hw.phase", "enq"), ("units.gaudi2.NIC.NIC0_DBG_0", True)):
        config.set(name, value)
    config.save(default_path())
    window = ConfigurationWindow(Settings(tmp_path / "w.ini"), theme, Notifier(), default_path())
    window.side.estimate.quiet_ms = 600_000
    window.side.estimate.scale_from(None)
    window.resize(1100, 700)
    window.show()
    qtbot.waitUntil(lambda: window.jobs.is_idle, timeout=10_000)
    window.side.estimate._show(FIGURES)
    yield window
    window.close()
    window.deleteLater()
    qtbot.wait(1)


def settle(window: ConfigurationWindow, qtbot: QtBot) -> None:
    """Until what comes bit by bit is there, and no cursor blinks."""
    qtbot.wait(30)
    qtbot.waitUntil(lambda: window.jobs.is_idle, timeout=10_000)
    window.setFocus()
    QApplication.processEvents()


def test_the_window(window: ConfigurationWindow, qtbot: QtBot, theme: Theme, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    settle(window, qtbot)
    compare(window.grab().toImage(), f"configure-{theme.palette.name}", request, tmp_path)


@pytest.mark.parametrize("page_id", [entry.id for entry in PAGES])
def test_a_page(
    window: ConfigurationWindow, qtbot: QtBot, theme: Theme, page_id: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """As tall as it is, without the bar that scrolls it."""
    if page_id == "run":
        window.frame("run").page.plan.set_folder("/")
    window.show_page(page_id)
    page = window.frame(page_id).page
    assert getattr(page, "fields", {}) is not None  # a long form comes group by group unless it is asked for
    settle(window, qtbot)
    body = window.frame(page_id).widget()
    compare(body.grab().toImage(), f"configure-{page_id}-{theme.palette.name}", request, tmp_path)
