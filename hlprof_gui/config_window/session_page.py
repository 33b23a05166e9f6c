"""Page: the session's name, the folder, and what the files will be called."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QWidget

from hlprof_gui.config_window.file_preview import FilePreview
from hlprof_gui.config_window.form import FormPage, Group
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.notify import safe

GROUPS = (
    Group("Name and place", ("session.name", "session.outdir")),
    Group("Parts of the name", ("session.add_pid", "session.add_pci")),
)
SECOND_MS = 1000


class SessionPage(FormPage):
    """The names are shown live; a time in them goes on."""

    def __init__(self, context: PageContext, parent: QWidget) -> None:
        super().__init__(context, parent, GROUPS)
        self.preview = FilePreview(context)
        self.add_card("Resulting files", [self.preview], at=0)
        self._clock = QTimer(self, interval=SECOND_MS)
        self._clock.timeout.connect(self.preview.refresh)

    def refresh(self) -> None:
        super().refresh()
        self.preview.refresh()
        has_time = "#" in self.context.model.value("session.name") and self.isVisible()
        if has_time and not self._clock.isActive():
            self._clock.start()
        elif not has_time:
            self._clock.stop()

    @safe
    def hideEvent(self, event: QHideEvent) -> None:
        self._clock.stop()
        super().hideEvent(event)
