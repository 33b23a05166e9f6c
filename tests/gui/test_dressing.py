"""Every part of a window has the style of the theme in use, also what comes late; a change of theme reaches all of it and shows at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDockWidget, QInputDialog, QMenu, QMessageBox, QTabBar, QWidget
from pytestqt.qtbot import QtBot


def sheets(widget: QWidget) -> list[str]:
    """The style sheets that count for a widget, its own first."""
    found = []
    part: QWidget | None = widget
    while part is not None:
        found += [part.styleSheet()] if part.styleSheet() else []
        part = part.parentWidget()
    return found


def is_dressed(widget: QWidget, theme: Any) -> bool:
    return any(f"QPushButton {{ background: {theme.palette.group};" in sheet for sheet in sheets(widget))


def menu(window: Any) -> QWidget:
    made = QMenu(window)
    made.addAction("Something")
    made.popup(window.mapToGlobal(QPoint(50, 50)))
    return made


def box(kind: Callable[[QWidget], Any]) -> Callable[[Any], QWidget]:
    def show(window: Any) -> QWidget:
        made = kind(window)
        made.open()
        return made

    return show


def proposals(window: Any) -> QWidget:
    window.focus_search()
    QTest.keyClicks(window.search_box.field, "na")
    return window.search_box.field._completer.popup()


@pytest.mark.parametrize("come", [menu, box(QMessageBox), box(QInputDialog), proposals])
def test_what_comes_late_is_dressed(open_window: Any, theme: Any, come: Callable[[Any], QWidget]) -> None:
    late = come(open_window)
    assert late.isVisible()
    assert is_dressed(late, theme)
    theme.use("light")
    theme.finish()
    assert is_dressed(late, theme)
    late.close()


def test_every_part_is_dressed_once_in_every_theme(open_window: Any, theme: Any, qtbot: QtBot) -> None:
    for panel in ("sql", "statistics", "counters"):
        open_window.show_panel(panel)
    open_window.docks["sql"].hide()
    parts = [open_window.menuBar(), open_window.centralWidget(), open_window.statusBar(), *open_window.findChildren(QDockWidget)]
    made = [part for part in parts if not isinstance(part, QDockWidget) or part.widget() is not None]
    bars = [bar for bar in open_window.findChildren(QTabBar) if bar.isVisible()]
    assert len(made) >= 7
    assert bars
    for choice in ("light", "dark"):
        theme.use(choice)
        assert not open_window.updatesEnabled() or not theme.is_settled
        qtbot.waitUntil(lambda: theme.is_settled, timeout=3000)
        assert open_window.updatesEnabled()
        for widget in [*made, *bars, open_window.search_box.field]:
            assert is_dressed(widget, theme), widget
            assert len([sheet for sheet in sheets(widget) if "QPushButton" in sheet]) == 1, widget


def test_a_second_change_takes_the_place_of_the_first(open_window: Any, theme: Any, qtbot: QtBot) -> None:
    theme.use("light")
    qtbot.wait(1)
    theme.use("dark")
    qtbot.waitUntil(lambda: theme.is_settled, timeout=3000)
    assert open_window.updatesEnabled()
    assert is_dressed(open_window.menuBar(), theme)
    assert open_window.palette().window().color().name() == theme.palette.window


def test_large_parts_are_painted_in_turns_of_their_own(open_window: Any, theme: Any, qtbot: QtBot) -> None:
    open_window.show_panel("counters")
    open_window.show_panel("report")
    qtbot.waitUntil(lambda: not open_window.jobs.running())
    qtbot.wait(100)
    bodies = {name: open_window.docks[name].panel for name in ("counters", "report")} | {"canvas": open_window.timeline.canvas}
    painted: list[set[str]] = []

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.UpdateRequest:
                painted.append(set())
            elif event.type() == QEvent.Type.Paint and painted:
                painted[-1] |= {name for name, body in bodies.items() if body is watched}
            return False

    watch = Watch()
    for watched in (open_window, *bodies.values()):
        watched.installEventFilter(watch)
    theme.use("light")
    qtbot.waitUntil(lambda: theme.is_settled, timeout=3000)
    qtbot.wait(50)
    for watched in (open_window, *bodies.values()):
        watched.removeEventFilter(watch)
    assert {name for names in painted for name in names} == set(bodies)
    assert all(len(names) <= 1 for names in painted), painted


def test_a_panel_that_is_hidden_in_the_midst_of_two_changes_paints_again(open_window: Any, theme: Any, qtbot: QtBot) -> None:
    open_window.show_panel("report")
    theme.use("light")
    qtbot.waitUntil(lambda: not open_window.docks["report"].updatesEnabled(), timeout=3000)
    open_window.show_panel("details")
    theme.use("dark")
    qtbot.waitUntil(lambda: theme.is_settled, timeout=3000)
    assert all(dock.updatesEnabled() for dock in open_window.docks)


def test_who_is_gone_is_forgotten(window: Any, theme: Any, qtbot: QtBot) -> None:
    known = len(theme._parts)
    part = QWidget()
    theme.dress(part)
    assert len(theme._parts) == known + 1
    part.deleteLater()
    del part
    qtbot.waitUntil(lambda: len(theme._parts) == known, timeout=2000)
