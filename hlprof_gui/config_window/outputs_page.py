"""Page: which files a recording becomes, and what is in them."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from hlprof_core.config.schema import list_members
from hlprof_gui.config_window.file_preview import FilePreview
from hlprof_gui.config_window.form import FormPage, Group
from hlprof_gui.config_window.page import PageContext


def groups() -> tuple[Group, ...]:
    """Formats come from the declarations."""
    merged = tuple(entry.id for entry in list_members("merged").values())
    return (
        Group("One file for the run: host and device together", (*merged, "output.json_compressed")),
        Group("A file for each invocation", tuple(s.id for s in list_members("invoc").values())),
        Group("Trace analyzer", ("analyzer.enable", "analyzer.json", "analyzer.csv", "analyzer.xlsx")),
        Group("Content", ("hw.fuser", "hw.flows", "hw.null_descriptors", "hw.recipe_busy", "hw.merge_with_host", "hw.skip_parse")),
    )


class OutputsPage(FormPage):
    """The resulting names stand above the formats."""

    def __init__(self, context: PageContext, parent: QWidget) -> None:
        super().__init__(context, parent, groups())
        self.preview = FilePreview(context)
        self.add_card("Resulting files", [self.preview], at=0)

    def refresh(self) -> None:
        super().refresh()
        self.preview.refresh()
        is_on = bool(self.context.model.value("analyzer.enable"))
        for name in ("json", "csv", "xlsx"):
            field = self._fields.get(f"analyzer.{name}")
            if field is not None:
                field.setEnabled(is_on)
