"""What is always in sight at the right: what differs from the default, what to watch out for, and the estimate."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from hlprof_core.config.trap import Trap
from hlprof_gui.config_window.estimate_card import EstimateCard
from hlprof_gui.config_window.live_page import dim_label, heading, plain_label, small_button, while_alive
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.notify import safe
from hlprof_gui.viewmodels.command_line import apply_words

WIDTH, ROW_HEIGHT, MOST_ROWS = 284, 24, 12
SETTING = Qt.ItemDataRole.UserRole


class SidePanel(QScrollArea):
    """Three parts above each other."""

    setting_wanted = Signal(str)

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self.setObjectName("sidePanel")
        context.theme.dress(self)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedWidth(WIDTH)
        self.setAccessibleName("Overview")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._context = context
        self.changes = ChangeList(context)
        self.changes.setting_wanted.connect(self.setting_wanted)
        self.warnings = WarningList(context)
        self.warnings.setting_wanted.connect(self.setting_wanted)
        self.estimate = EstimateCard(context)
        body = QWidget()
        body.setObjectName("sideBody")
        column = QVBoxLayout(body)
        column.setContentsMargins(16, 20, 16, 16)
        column.setSpacing(8)
        for title, part in (("Warnings", self.warnings), ("Differs from the default", self.changes), ("Estimate", self.estimate)):
            column.addWidget(heading(context, title))
            column.addWidget(part)
            column.addSpacing(12)
        column.addStretch(1)
        self.setWidget(body)


class ChangeList(QWidget):
    """Title and value of each; a click goes to the control."""

    setting_wanted = Signal(str)

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self.none = dim_label("Nothing: every setting has its default.")
        self.none.setFont(context.theme.small_font)
        self.tree = QTreeWidget()
        self.tree.setObjectName("changeList")
        self.tree.setAccessibleName("What differs from the default")
        self.tree.setColumnCount(2)
        self.tree.setHeaderHidden(True)
        self.tree.setRootIsDecorated(False)
        self.tree.setUniformRowHeights(True)
        self.tree.setFrameShape(QFrame.Shape.NoFrame)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.tree.header().setStretchLastSection(True)
        self.tree.setColumnWidth(0, 166)
        self.tree.itemClicked.connect(safe(self._go))
        self.tree.itemActivated.connect(safe(self._go))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.none)
        layout.addWidget(self.tree)
        while_alive(self, context.model.changed, self.refresh)
        while_alive(self, context.theme.changed, self.refresh)
        self.refresh()

    @safe
    def refresh(self) -> None:
        """List what differs now."""
        self.tree.clear()
        found = self._context.model.differences
        accent, small = self._context.theme.color("accent"), QFont(self._context.theme.small_font)
        for entry, value in found:
            item = QTreeWidgetItem([entry.title, entry.kind.tell(value)])
            item.setData(0, SETTING, entry.id)
            item.setForeground(1, accent)
            item.setFont(1, small)
            item.setSizeHint(0, QSize(0, ROW_HEIGHT))
            item.setToolTip(0, f"{entry.title}\nDefault: {entry.kind.tell(entry.default)}")
            item.setToolTip(1, entry.kind.tell(value))
            self.tree.addTopLevelItem(item)
        self.none.setVisible(not found)
        self.tree.setVisible(bool(found))
        self.tree.setFixedHeight(ROW_HEIGHT * min(len(found), MOST_ROWS) + 2)

    def _go(self, item: QTreeWidgetItem, _column: int = 0) -> None:
        self.setting_wanted.emit(item.data(0, SETTING))


class WarningList(QWidget):
    """The same lines as on the console; where options lead out, a button that applies them."""

    setting_wanted = Signal(str)

    def __init__(self, context: PageContext) -> None:
        super().__init__()
        self._context = context
        self.setAccessibleName("Warnings")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self._rows: list[QWidget] = []
        self.lines: list[str] = []
        self.fixes: dict[str, QPushButton] = {}
        """By the id of the trap."""
        while_alive(self, context.model.changed, self.refresh)
        self.refresh()

    @safe
    def refresh(self) -> None:
        """Tell what is wrong, what is a trap, and what is kept without being known."""
        for row in self._rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        model = self._context.model
        self._rows, self.lines, self.fixes = [], [], {}
        for problem in model.problems:
            self._add(problem, "error")
        for trap in model.traps:
            self._add(trap.text, "warning", trap)
        if model.unknown:
            self._add(f"Kept as it is, not known here: {', '.join(model.unknown)}.", "info")
        if not self._rows:
            none = dim_label("None.")
            none.setFont(self._context.theme.small_font)
            self._rows = [none]
            self._column.addWidget(none)

    def _add(self, text: str, level: str, trap: Trap | None = None) -> None:
        self.lines.append(text)
        row = QFrame()
        row.setObjectName("warningRow")
        row.setProperty("level", level)
        column = QVBoxLayout(row)
        column.setContentsMargins(10, 7, 10, 7)
        column.setSpacing(4)
        label = plain_label(text[:1].upper() + text[1:])
        label.setWordWrap(True)
        label.setFont(self._context.theme.small_font)
        column.addWidget(label)
        if trap is not None:
            column.addLayout(self._buttons(trap))
        self._rows.append(row)
        self._column.addWidget(row)

    def _buttons(self, trap: Trap) -> QHBoxLayout:
        buttons = QHBoxLayout()
        buttons.setSpacing(4)
        if trap.words:
            fix = small_button(self._context, f"Apply {' '.join(trap.words)}", f"Change the configuration: {' '.join(trap.words)}")
            fix.clicked.connect(safe(lambda *_: apply_words(self._context.model, trap.words, f"Apply {' '.join(trap.words)}")))
            self.fixes[trap.id] = fix
            buttons.addWidget(fix)
        if trap.settings:
            show = small_button(self._context, "Show", "Go to the setting")
            show.clicked.connect(lambda *_: self.setting_wanted.emit(trap.settings[0]))
            buttons.addWidget(show)
        buttons.addStretch(1)
        return buttons
