"""A widget whose tool tip depends on the place under the pointer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect
from PySide6.QtGui import QHelpEvent, Qt
from PySide6.QtWidgets import QToolTip, QWidget

from hlprof_gui.notify import safe_or


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
                # Names may look like tags: ``vector<int>``.
                text = Qt.convertFromPlainText(text, Qt.WhiteSpaceMode.WhiteSpacePre) if Qt.mightBeRichText(text) else text
                QToolTip.showText(event.globalPos(), text, self, self.tip_area(event.pos()))
            else:
                QToolTip.hideText()
            return True
        return bool(super().event(event))
