"""What screen readers are told: the whole tree of the window and of its dialogs, every control has a name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from hlprof_gui.state.view_state import Item
from hlprof_gui.widgets.panel import PANELS
from tests.gui.conftest import wait_idle
from tests.small_trace import slice_named

ROLE = QAccessible.Role
CONTROLS = frozenset(
    (ROLE.Button, ROLE.PushButton, ROLE.CheckBox, ROLE.RadioButton, ROLE.ComboBox, ROLE.EditableText, ROLE.SpinBox, ROLE.Slider,
     ROLE.List, ROLE.Tree, ROLE.Table, ROLE.ButtonMenu, ROLE.ButtonDropDown, ROLE.MenuItem, ROLE.PageTab)
)  # fmt: skip
CELLS = frozenset((ROLE.Table, ROLE.Tree, ROLE.List))
"""What is inside has a text of its own; millions of rows need not be visited."""


def tree(root: QAccessibleInterface, depth: int = 0) -> Iterator[QAccessibleInterface]:
    yield root
    if depth > 40 or root.role() in CELLS:
        return
    for number in range(root.childCount()):
        child = root.child(number)
        if child is not None and child.isValid():
            yield from tree(child, depth + 1)


def nameless(widget: Any) -> list[str]:
    """Controls and whatever takes the keyboard without a name."""
    root = QAccessible.queryAccessibleInterface(widget)
    assert root is not None
    found = []
    for part in tree(root):
        state = part.state()
        # A row of tabs has the name of its tab in front; the tabs are looked at one by one.
        needs_name = part.role() in CONTROLS or (state.focusable and part.role() != ROLE.PageTabList)
        if needs_name and not state.invisible and not part.text(QAccessible.Text.Name).strip():
            owner = part.object()
            above = owner.parent() if owner is not None else None
            found.append(f"{part.role().name} {type(owner).__name__} in {type(above).__name__}")
    return found


def visited(widget: Any) -> int:
    root = QAccessible.queryAccessibleInterface(widget)
    return sum(1 for _ in tree(root))


def test_every_control_of_the_window_has_a_name(open_window: Any, qtbot: QtBot) -> None:
    w = open_window
    w.resize(1500, 900)
    w.state.select(Item("slice", slice_named(w.state.trace, "fc1/forward")))
    w.search.set_words("launch")
    w.notifier.post("A message.")
    for entry in PANELS:
        w.show_panel(entry.id)
        wait_idle(qtbot, w)
        assert nameless(w) == [], entry.id
    assert visited(w) > 150


def test_an_empty_window_has_names_too(window: Any) -> None:
    assert nameless(window) == []


DIALOGS: dict[str, Callable[[Any], object]] = {
    "palette": lambda w: w.show_palette(),
    "keys": lambda w: w.show_help(),
    "key editor": lambda w: w.edit_keys(),
    "layouts": lambda w: w.edit_row_layouts(),
    "about": lambda w: w.show_about(),
}


@pytest.mark.parametrize("name", DIALOGS)
def test_every_control_of_a_dialog_has_a_name(open_window: Any, qtbot: QtBot, name: str) -> None:
    before = set(QApplication.topLevelWidgets())
    DIALOGS[name](open_window)
    new = [w for w in QApplication.topLevelWidgets() if w not in before and w.isVisible()]
    assert len(new) == 1
    assert nameless(new[0]) == []
    assert new[0].windowTitle() or new[0].accessibleName() or not isinstance(new[0], QDialog)
    new[0].close()


def test_the_question_for_an_argument_has_names(open_window: Any, qtbot: QtBot) -> None:
    found: list[list[str]] = []

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QDialog)
        found.append(nameless(dialog))
        dialog.reject()

    qtbot.waitUntil(lambda: "dtype" in open_window.search.argument_keys())
    QTimer.singleShot(200, look)
    open_window.actions_by_id["color.by_argument"].trigger()
    assert found == [[]]


def test_a_control_without_a_name_is_found(qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

    box = QWidget()
    qtbot.addWidget(box)
    QVBoxLayout(box).addWidget(QLineEdit())
    box.show()
    assert len(nameless(box)) == 1
