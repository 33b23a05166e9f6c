"""Page: whether and which calls of the host are recorded."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from hlprof_gui.config_window.form import FormPage, Group
from hlprof_gui.config_window.page import PageContext

GROUPS = (
    Group("Host profiler", ("host.enable", "host.start_disabled")),
    Group("Interfaces", ("host.api.SYNAPSE", "host.api.HLTHUNK", "host.api.HCCL", "host.api.SCAL")),
    Group("Other", ("host.performance_mode",)),
)


class HostPage(FormPage):
    """The interfaces matter only while the host profiler is on."""

    def __init__(self, context: PageContext, parent: QWidget) -> None:
        super().__init__(context, parent, GROUPS)

    def refresh(self) -> None:
        super().refresh()
        is_on = self.context.model.value("host.enable")
        for setting_id, field in self._fields.items():
            if setting_id != "host.enable":
                field.setEnabled(bool(is_on))
