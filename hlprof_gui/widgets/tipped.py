"""A widget whose tool tip depends on the place under the pointer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect
from PySide6.QtGui import QHelpEvent, Qt
from PySide6.QtWidgets import QToolTip, QWidget

from hlprof_gui.notify import safe_or
from hlprof_gui.viewmodels.short_texts import breakable

WIDEST = 120
"""Longer lines are wrapped."""


def plain_tip(text: str) -> str:
    """The text for a tool tip that shows it as it is: names may look like tags (``vector<int>``), and Qt wraps only what is rich."""
    is_wide = any(len(line) > WIDEST for line in text.splitlines())
    if not is_wide and not Qt.mightBeRichText(text):
        return text
    if is_wide:
        return Qt.convertFromPlainText(breakable(text), Qt.WhiteSpaceMode.WhiteSpaceNormal)
    return Qt.convertFromPlainText(text, Qt.WhiteSpaceMode.WhiteSpacePre)


class TippedWidget(QWidget):
    """Ask ``tip_at`` for the text; "" shows none."""

    def tip_at(self, at: QPoint) -> str:
        raise NotImplementedError

    def tip_area(self, _at: QPoint) -> QRect:
        """Where the pointer may move while the tip stays; an empty one: until the text is another."""
        return QRect()

    @safe_or(False)
    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = self.tip_at(event.pos())
            if text:
                QToolTip.showText(event.globalPos(), plain_tip(text), self, self.tip_area(event.pos()))
            else:
                QToolTip.hideText()
            return True
        return bool(super().event(event))
