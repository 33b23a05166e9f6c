"""A menu of lately used files, made anew whenever it opens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QMenu, QWidget

from hlprof_gui.notify import safe
from hlprof_gui.widgets.landing import shorten


class RecentMenu(QMenu):
    """``files`` tells what to list, ``chosen`` is called with one of them, ``clear`` forgets them all."""

    def __init__(
        self, parent: QWidget, files: Callable[[], list[Path]], chosen: Callable[[Path], object], clear: Callable[[], object]
    ) -> None:
        super().__init__("Open Recent", parent)
        self._files, self._chosen, self._clear = files, chosen, clear
        self.aboutToShow.connect(self.refresh)

    @safe
    def refresh(self) -> None:
        self.clear()
        recent = self._files()
        for path in recent:
            self.addAction(f"{path.name}   {shorten(path.parent)}").triggered.connect(safe(lambda *_, path=path: self._chosen(path)))
        if not recent:
            self.addAction("No recent files").setEnabled(False)
        else:
            self.addSeparator()
            self.addAction("Clear List").triggered.connect(safe(lambda *_: self._clear()))
