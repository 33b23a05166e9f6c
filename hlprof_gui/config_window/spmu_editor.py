"""Editor of a list of counters: up to six events picked by name, how often they are read, whether reading clears them."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QSize, QSortFilterProxyModel, Qt
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QLineEdit, QListView, QVBoxLayout

from hlprof_core.config.bracket_list import MAX_COUNTERS
from hlprof_gui.config_window.editor import SizeBox
from hlprof_gui.config_window.list_editor import ListEditor, show_words, word_field
from hlprof_gui.config_window.live_page import dim_label, keep_own_steps
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.notify import safe, safe_or
from hlprof_gui.viewmodels.unit_lists import LONGEST_CYCLES, UnitListViewModel

Index = QModelIndex | QPersistentModelIndex
NOTHING = QModelIndex()
ROW_HEIGHT = 24
NAMELESS = "The names of these events are not public: write their ids."


class EventModel(QAbstractListModel):
    """The events that can be counted, with a check box each; when six are chosen the others rest."""

    def __init__(self, entry: UnitListViewModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entry = entry
        self._chosen: tuple[int, ...] = ()
        self._is_full = False

    def refresh(self) -> None:
        """Follow the document."""
        form = self._entry.counters if self._entry.is_set else None
        chosen = form.events if form is not None else ()
        is_full = form is not None and form.is_full
        if (chosen, is_full) != (self._chosen, self._is_full):
            self._chosen, self._is_full = chosen, is_full
            self.dataChanged.emit(self.index(0), self.index(self.rowCount() - 1))

    @safe_or(0)
    def rowCount(self, parent: Index = NOTHING) -> int:
        return 0 if parent.isValid() else len(self._entry.events)

    @safe_or(Qt.ItemFlag.NoItemFlags)
    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        can_choose = not self._is_full or self._entry.events[index.row()].id in self._chosen
        plain = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        return plain | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable if can_choose else plain

    @safe_or(None)
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        event = self._entry.events[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{event.id}  {event.doc}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"[{event.id}] {event.name}\n{event.doc}"
        if role == Qt.ItemDataRole.UserRole:
            return f"{event.id} {event.name} {event.name.replace('_', ' ')} {event.doc}"
        if role == Qt.ItemDataRole.SizeHintRole:
            return QSize(0, ROW_HEIGHT)
        if role == Qt.ItemDataRole.CheckStateRole:
            return Qt.CheckState.Checked if event.id in self._chosen else Qt.CheckState.Unchecked
        return None

    @safe_or(False)
    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if not index.isValid() or role != Qt.ItemDataRole.CheckStateRole:
            return False
        self._entry.choose_event(self._entry.events[index.row()].id, Qt.CheckState(value) == Qt.CheckState.Checked)
        self.refresh()
        return True


class SpmuEditor(ListEditor):
    """Two groups, as the option has them."""

    def __init__(self, context: PageContext, entry: UnitListViewModel) -> None:
        super().__init__(context, entry, is_tall=bool(entry.events))
        self.ids = word_field(context, "Event ids", f"up to {MAX_COUNTERS} ids, as 57, 65")
        self.ids.textEdited.connect(safe(lambda text: self.say(entry.type_events(text))))
        self.cycles = SizeBox(context.theme)
        self.cycles.setRange(1, LONGEST_CYCLES)
        self.cycles.setSuffix(" cycles")
        self.cycles.setAccessibleName("Cycles between two readings")
        self.cycles.valueChanged.connect(safe(lambda value: self.say(entry.set_counters(replace(entry.counters, cycles=value)))))
        self.clears = QCheckBox("Start over at 0 after each reading")
        self.clears.clicked.connect(safe(lambda *_: self.say(entry.set_counters(replace(entry.counters, clears=self.clears.isChecked())))))
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search events: stall, cache, 57")
        self.search.setAccessibleName("Search events")
        self.search.setClearButtonEnabled(True)
        keep_own_steps(self.search)
        self.events = EventModel(entry, self)
        self.filter = QSortFilterProxyModel(self)
        self.filter.setSourceModel(self.events)
        self.filter.setFilterRole(Qt.ItemDataRole.UserRole)
        self.filter.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.search.textChanged.connect(self.filter.setFilterFixedString)
        self.list = QListView()
        self.list.setModel(self.filter)
        self.list.setAccessibleName("Events")
        self.list.setUniformItemSizes(True)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setProperty("framed", True)
        self.list.setMinimumHeight(96)
        rows = self.form_rows()
        rows.addRow("Events", self.ids)
        column = QVBoxLayout(self.form_area)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(rows)
        if entry.events:
            column.addWidget(self.search)
            column.addWidget(self.list, 1)
        else:
            self.search.hide()
            self.list.hide()
            column.addWidget(dim_label(NAMELESS))
        more = self.form_rows()
        more.addRow("Read every", self.cycles)
        more.addRow("", self.clears)
        column.addLayout(more)
        self.refresh()

    def show_form(self) -> None:
        form = self.entry.counters
        show_words(self.ids, tuple(str(e) for e in form.events) if self.entry.is_set else ())
        self.cycles.blockSignals(True)
        self.cycles.setValue(form.cycles)
        self.cycles.blockSignals(False)
        self.clears.setChecked(form.clears)
        self.events.refresh()
