"""Dock: what reading the file found, the gravest first, with the places and what to do."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from hlprof_gui.commands.command import Deeds
from hlprof_gui.notify import safe
from hlprof_gui.viewmodels.diagnostics import WORDS
from hlprof_gui.widgets.context_menu import attach_menu
from hlprof_gui.widgets.own_keys import keep_moving_keys
from hlprof_gui.widgets.panel import PanelContext
from hlprof_gui.widgets.tipped import plain_tip


class DiagnosticsPanel(QWidget):
    """A tree: one line a finding, its first places under it."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__()
        self.setObjectName("panelBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._context = context
        self.summary = QLabel()
        self.summary.setProperty("dim", True)
        self.summary.setContentsMargins(12, 8, 12, 6)
        self.summary.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.tree = QTreeWidget()
        keep_moving_keys(self.tree)
        self.tree.setAccessibleName("Diagnostics of the file")
        self.tree.setHeaderLabels(["Grade", "Count", "What", "Code"])
        self.tree.setAlternatingRowColors(True)
        self.tree.setIndentation(14)
        attach_menu(self.tree, "diagnostics", context.menu, self._deeds)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.summary)
        layout.addWidget(self.tree, 1)
        layout.addStretch()  # where the tree is when there is one
        context.state.trace_changed.connect(self.refresh)
        context.theme.follow(self, self.refresh)
        self.refresh()

    def _deeds(self, index: QModelIndex) -> Deeds:
        def copy(items: list[QTreeWidgetItem | None]) -> None:
            QGuiApplication.clipboard().setText("\n".join(line for item in items if item is not None for line in item_lines(item)))

        every = [self.tree.topLevelItem(i) for i in range(self.tree.topLevelItemCount())]
        return {"copy_row": lambda: copy([self.tree.itemFromIndex(index)]), "copy_table": lambda: copy(every)}

    @safe
    def refresh(self) -> None:
        """Show the findings of the open trace."""
        trace, theme = self._context.state.trace, self._context.theme
        found = trace.diagnostics if trace is not None else ()
        self.tree.clear()
        self.tree.setVisible(bool(found))
        if trace is None:
            self.summary.setText("No trace is open.")
        else:
            count = f"{len(found)} finding{'s' * (len(found) != 1)} while reading"
            self.summary.setText(count if found else "Everything in the file was read.")
        colors = {"data-loss": theme.color("error"), "error": theme.color("error"), "notice": theme.color("warning")}
        for d in found:
            row = QTreeWidgetItem([WORDS[d.severity], f"{d.count:,}", d.message, d.code])
            row.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            row.setToolTip(2, plain_tip(d.message))
            if d.severity in colors:
                row.setForeground(0, colors[d.severity])
            for place in (d.hint, *d.first):
                if place:
                    row.addChild(QTreeWidgetItem(["", "", place]))
            self.tree.addTopLevelItem(row)
        for column, width in enumerate((110, 80, 620)):
            self.tree.setColumnWidth(column, width)


def item_lines(item: QTreeWidgetItem) -> list[str]:
    """A finding and what lies under it as lines of text."""
    own = "\t".join(text for text in (item.text(column) for column in range(item.columnCount())) if text)
    children = (item.child(place) for place in range(item.childCount()))
    inner = [f"\t{line}" for child in children if child is not None for line in item_lines(child)]
    return [own, *inner]
