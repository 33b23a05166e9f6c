"""The lists of bus monitors and counters beside the tree of units: one is chosen, its editor is shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from hlprof_core.config.unit_tree import GENERATIONS, unit_tree
from hlprof_gui.config_window.bmon_editor import BmonEditor
from hlprof_gui.config_window.document_undo import StepsToDocument, leave_steps
from hlprof_gui.config_window.editor import QuietComboBox
from hlprof_gui.config_window.list_editor import ListEditor
from hlprof_gui.config_window.live_page import dim_label, heading
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.config_window.spmu_editor import SpmuEditor
from hlprof_gui.notify import safe
from hlprof_gui.viewmodels.unit_lists import UnitListViewModel, unit_lists
from hlprof_gui.viewmodels.units import UnitsViewModel

NO_LISTS = "{} has no public options for bus monitors and counters."


class ListsPanel(QWidget):
    """Chooses one of the lists and shows its editor."""

    def __init__(self, context: PageContext, units: UnitsViewModel) -> None:
        super().__init__()
        self._context, self._units = context, units
        self._lists = {entry.setting_id: entry for entry in unit_lists(context.model, GENERATIONS)}
        self._editors: dict[str, ListEditor] = {}
        self._steps = StepsToDocument(self)
        self.choice = QuietComboBox(context.theme)
        self.choice.setAccessibleName("Monitors and counters of")
        self.choice.activated.connect(safe(lambda _: self._show_chosen()))
        self.stack = QStackedWidget()
        self.nothing = dim_label()
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.stack.addWidget(self.nothing)
        self.setMinimumWidth(320)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(heading(context, "Monitors and counters"))
        layout.addWidget(self.choice)
        layout.addWidget(self.stack, 1)
        self._shown: list[str] = []

    @property
    def editor(self) -> ListEditor | None:
        """The editor that is shown."""
        self._show_chosen()
        widget = self.stack.currentWidget()
        return widget if isinstance(widget, ListEditor) else None

    def show_list(self, setting_id: str) -> bool:
        """Bring the editor of a list to the front."""
        row = self.choice.findData(setting_id)
        if row < 0:
            return False
        self.choice.setCurrentIndex(row)
        self._show_chosen()
        if self.editor is not None:
            self.editor.text.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def refresh(self) -> None:
        """Follow the document and the choice of generations."""
        lists = self._units.lists
        ids = [entry.setting_id for entry in lists]
        if ids != self._shown:
            self._shown = ids
            self.choice.clear()
            for entry in lists:
                self.choice.addItem(entry.title, entry.setting_id)
        for row, entry in enumerate(lists):
            self.choice.setItemText(row, f"{self._name(entry)}{'  ·  set' if entry.is_set else ''}")
        self.choice.setVisible(bool(lists))
        if self._editors:
            self._show_chosen()
        else:  # the tree first
            QTimer.singleShot(0, self, safe(self._show_chosen))

    def _name(self, entry: UnitListViewModel) -> str:
        return entry.title if len(self._units.generations) == 1 else f"{unit_tree(entry.generation).title}: {entry.title}"

    def _show_chosen(self) -> None:
        setting_id = self.choice.currentData()
        if setting_id is None:
            self.nothing.setText(NO_LISTS.format(unit_tree(self._units.generations[0]).title))
            self.stack.setCurrentWidget(self.nothing)
            return
        editor = self._editor_of(setting_id)
        editor.refresh()
        self.stack.setCurrentWidget(editor)

    def _editor_of(self, setting_id: str) -> ListEditor:
        """Made when it is first looked at: each is a form of its own."""
        if setting_id not in self._editors:
            entry = self._lists[setting_id]
            self._editors[setting_id] = BmonEditor(self._context, entry) if entry.entry.kind == "bmon" else SpmuEditor(self._context, entry)
            self.stack.addWidget(self._editors[setting_id])
            leave_steps(self._editors[setting_id], self._steps)
        return self._editors[setting_id]
