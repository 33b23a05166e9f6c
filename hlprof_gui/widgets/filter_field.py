"""A line for filters: proposals below it while typing, and a wave under what is not understood."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractItemView, QCompleter, QLineEdit, QWidget

from hlprof_core.analysis.filter.completion import Completion
from hlprof_gui.notify import safe
from hlprof_gui.theme.theme import Theme
from hlprof_gui.widgets.own_keys import keep_moving_keys
from hlprof_gui.widgets.proposals import Proposals

POPUP_WIDTH, ROWS_SHOWN = 460, 14


class FilterField(QLineEdit):
    """Tells Enter apart from Shift+Enter; Tab takes a proposal; Ctrl+Space asks for them."""

    next_wanted = Signal()
    previous_wanted = Signal()

    def __init__(self, theme: Theme, complete: Callable[[str, int], Sequence[Completion]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._complete = theme, complete
        self._trouble: tuple[int, int] | None = None
        self._model = Proposals(self)
        self._completer = QCompleter(self._model, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setMaxVisibleItems(ROWS_SHOWN)
        self._completer.setWidget(self)
        self._completer.activated[QModelIndex].connect(lambda index: self._take(index.row()))
        keep_moving_keys(self)
        self.textEdited.connect(lambda _: self.propose())

    # -- trouble ----------------------------------------------------------------------------------------------------

    def show_trouble(self, place: tuple[int, int] | None) -> None:
        """Put a wave under ``text[position:position + length]``; None takes it away."""
        if place != self._trouble:
            self._trouble = place
            self.update()

    @safe
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._trouble is None:
            return
        position, length = self._trouble
        text, metrics, cursor = self.text(), self.fontMetrics(), self.cursorRect()
        # Long texts are scrolled: the cursor tells by how much.
        zero = cursor.center().x() - metrics.horizontalAdvance(text[: self.cursorPosition()])
        left = zero + metrics.horizontalAdvance(text[:position])
        right = zero + metrics.horizontalAdvance(text[: position + max(length, 1)])
        if right - left < 6:
            right = left + 6
        y = cursor.center().y() + metrics.height() / 2 - 1
        wave = QPainterPath(QPointF(left, y))
        for k, x in enumerate(range(int(left) + 2, int(right) + 1, 2)):
            wave.lineTo(x, y - 2 if k % 2 == 0 else y)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(self.rect().adjusted(4, 0, -4, 0))
        painter.setPen(QPen(self._theme.color("error"), 1.3))
        painter.drawPath(wave)
        painter.end()

    # -- proposals --------------------------------------------------------------------------------------------------

    @cached_property
    def _popup(self) -> QAbstractItemView:
        """The list of proposals, made for the first of them: until then the window opens sooner without it."""
        from hlprof_gui.widgets.proposal_delegate import ProposalDelegate

        popup = self._completer.popup()
        popup.installEventFilter(self)
        popup.setItemDelegate(ProposalDelegate(self._theme, POPUP_WIDTH - 20, self))
        popup.setAccessibleName("Proposals")
        popup.setProperty("framed", True)
        keep_moving_keys(popup)
        self._theme.dress(popup)
        return popup

    @property
    def proposals(self) -> Sequence[Completion]:
        """What is proposed at the moment."""
        return self._model.completions if "_popup" in vars(self) and self._popup.isVisible() else ()

    @safe
    def propose(self, *, asked: bool = False) -> None:
        """Show what may stand at the cursor."""
        text, at = self.text(), self.cursorPosition()
        found = list(self._complete(text, at)) if asked or text[:at].strip() else []
        typed = text[found[0].start : at] if found else ""
        if not asked and (not typed and text[at - 1 : at].isspace()):
            found = []
        if not found or (len(found) == 1 and found[0].text == typed):
            self.hide_proposals()
            return
        self._model.show_completions(found)
        self._popup.setCurrentIndex(QModelIndex())
        self._completer.complete(QRect(0, 0, max(POPUP_WIDTH, self.width()), self.height()))

    def hide_proposals(self) -> None:
        if "_popup" in vars(self):
            self._popup.hide()

    def _take(self, row: int) -> None:
        completion = self._model.completions[row]
        text = self.text()
        self.hide_proposals()
        self.setText(text[: completion.start] + completion.text + text[completion.end :])
        self.setCursorPosition(completion.start + len(completion.text))
        self.textEdited.emit(self.text())

    # -- keys -------------------------------------------------------------------------------------------------------

    @safe
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """While proposals are shown Escape closes them; the window's commands on that key wait."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().eventFilter(watched, event)

    @safe
    def event(self, event: QEvent) -> bool:
        is_tab = event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Tab
        if is_tab and self.proposals:
            self._take(max(self._popup.currentIndex().row(), 0))
            return True
        return super().event(event)

    @safe
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = event.key(), event.modifiers()
        chosen = self._popup.currentIndex() if self.proposals else QModelIndex()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if chosen.isValid():
                event.ignore()  # the list takes the proposal
                return
            self.hide_proposals()
            (self.previous_wanted if modifiers & Qt.KeyboardModifier.ShiftModifier else self.next_wanted).emit()
        elif key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            if self.proposals:
                event.ignore()
            elif not self.text():
                self.propose(asked=True)
            else:
                (self.next_wanted if key == Qt.Key.Key_Down else self.previous_wanted).emit()
        elif key == Qt.Key.Key_Space and modifiers & Qt.KeyboardModifier.ControlModifier:
            self.propose(asked=True)
        elif key == Qt.Key.Key_Escape and self.proposals:
            self.hide_proposals()
        else:
            super().keyPressEvent(event)
