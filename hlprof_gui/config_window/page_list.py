"""The list of pages at the left."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem

from hlprof_gui.config_window.page import PageEntry
from hlprof_gui.notify import safe
from hlprof_gui.theme.theme import Theme

WIDTH, ROW_HEIGHT = 168, 34
PAGE = Qt.ItemDataRole.UserRole


class PageList(QListWidget):
    """One entry for each page; arrow keys go through them."""

    page_chosen = Signal(str)

    def __init__(self, pages: Sequence[PageEntry], theme: Theme) -> None:
        super().__init__()
        self.setObjectName("pageList")
        theme.dress(self)
        self.setAccessibleName("Pages")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFixedWidth(WIDTH)
        self.setIconSize(QSize(18, 18))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)
        self._theme = theme
        self._icons = {entry.id: entry.icon for entry in pages}
        for number, entry in enumerate(pages, 1):
            item = QListWidgetItem(entry.title)
            item.setData(PAGE, entry.id)
            item.setToolTip(f"{entry.help} (Ctrl+{number})")
            item.setSizeHint(QSize(WIDTH, ROW_HEIGHT))
            self.addItem(item)
        theme.follow(self, self._tint)
        self._tint()
        self.currentItemChanged.connect(self._tell)

    def show_page(self, page: str) -> None:
        """Mark the page of that id."""
        for row in range(self.count()):
            if self.item(row).data(PAGE) == page:
                self.setCurrentRow(row)

    @safe
    def _tell(self, item: QListWidgetItem | None, _former: object) -> None:
        if item is not None:
            self.page_chosen.emit(item.data(PAGE))

    @safe
    def _tint(self) -> None:
        for row in range(self.count()):
            item = self.item(row)
            item.setIcon(self._theme.icon(self._icons[item.data(PAGE)]))
