"""A panel is an entry in a list: the window, its menus, keys and the palette find it there, nothing else has to change."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel, QMenu
from pytestqt.qtbot import QtBot

from hlprof_core import resource
from hlprof_gui.widgets.panel import PANELS, PanelContext, PanelEntry
from tests.gui.conftest import wait_idle

OWN = PanelEntry("depths", "Depths", "statistics", "own_panel:DepthsPanel", "bottom", is_open=False)


class DepthsPanel(QLabel):
    """How deep the slices of the open trace are nested."""

    def __init__(self, context: PanelContext) -> None:
        trace = context.state.trace
        super().__init__("" if trace is None else f"{int(trace.slices.depth.max()) + 1} levels")


def test_an_entry_is_all_that_a_panel_needs(
    monkeypatch: pytest.MonkeyPatch, make_window: Callable[[], Any], qtbot: QtBot, trace_file: Path
) -> None:
    module = ModuleType("own_panel")
    monkeypatch.setattr(module, "DepthsPanel", DepthsPanel, raising=False)
    monkeypatch.setitem(sys.modules, "own_panel", module)
    monkeypatch.setattr("hlprof_gui.main_window.PANELS", (*PANELS, OWN))
    window = make_window()
    window.open_path(trace_file)
    wait_idle(qtbot, window)
    action = window.actions_by_id["panel.depths"]
    assert any(action in menu.actions() for menu in window.menuBar().findChildren(QMenu))
    assert f"Alt+{len(PANELS) + 1}" == action.shortcut().toString()
    assert window.docks["depths"].widget() is None, "not made before it is shown"
    action.trigger()
    assert window.is_panel_visible("depths")
    assert window.docks["depths"].panel.text() == "2 levels"
    assert window.docks["depths"].panel.accessibleName() == "Depths"


def test_every_panel_can_be_loaded_and_has_an_icon() -> None:
    assert len({entry.id for entry in PANELS}) == len(PANELS)
    for entry in PANELS:
        assert callable(entry.load())
        assert resource.path("icons", f"{entry.icon}.svg").is_file()
