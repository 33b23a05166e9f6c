"""Page: every setting in one searchable list, with the editor of the chosen one below."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSize, Qt, QTimer
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QHeaderView, QLineEdit, QTreeView, QVBoxLayout, QWidget

from hlprof_core.config.value_kind import OnOff
from hlprof_gui.config_window.document_undo import StepsToDocument, leave_steps
from hlprof_gui.config_window.field import Field
from hlprof_gui.config_window.live_page import LivePage, dim_label, keep_own_steps
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.notify import safe
from hlprof_gui.qtmodels.settings_model import OPTION, TITLE, VALUE, SettingsModel

EDITOR_HEIGHT = 84
UNITS = "Units of "


class AdvancedPage(LivePage):
    """Enter or a double click turns switches and goes to the editor of anything else."""

    def __init__(self, context: PageContext, parent: QWidget) -> None:
        super().__init__(context, parent)
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search settings")
        self.search.setAccessibleName("Search settings")
        self.search.setToolTip("By name, option, key or explanation")
        self.search.setClearButtonEnabled(True)
        keep_own_steps(self.search)
        self.only_changed = QCheckBox("Only what differs from the default")
        self.count = dim_label(wrap=False)
        self.model = SettingsModel(context.model, context.theme, self)
        self.tree = QTreeView()
        self.tree.setAccessibleName("All settings")
        self.tree.setModel(self.model)
        self.tree.setUniformRowHeights(True)
        self.tree.setFrameShape(QFrame.Shape.NoFrame)
        self.tree.setObjectName("settingsTree")
        self.tree.setExpandsOnDoubleClick(False)
        self.tree.setMinimumHeight(180)
        self.tree.setIconSize(QSize(0, 0))
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(TITLE, QHeaderView.ResizeMode.Stretch)
        header.resizeSection(VALUE, 150)
        header.resizeSection(OPTION, 200)
        self.slot = QFrame()
        self.slot.setObjectName("card")
        self.slot.setMinimumHeight(EDITOR_HEIGHT)
        self._inside = QVBoxLayout(self.slot)
        self._inside.setContentsMargins(1, 1, 1, 1)
        self.field: Field | None = None
        self._steps = StepsToDocument(self)
        self._hint = dim_label("Choose a setting to read about it and to change it.")
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._inside.addWidget(self._hint)
        bar = QHBoxLayout()
        bar.setSpacing(12)
        bar.addWidget(self.search, 1)
        bar.addWidget(self.only_changed)
        bar.addWidget(self.count)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addLayout(bar)
        layout.addWidget(self.tree, 1)
        layout.addWidget(self.slot)
        self.search.textChanged.connect(safe(lambda _: self._search()))
        self.only_changed.toggled.connect(safe(lambda _: self._search()))
        self.tree.selectionModel().currentChanged.connect(safe(self._choose))
        self.tree.activated.connect(safe(self._activate))
        self._search()

    @safe
    def refresh(self) -> None:
        chosen = self.field.entry.id if self.field is not None else ""
        self.model.refresh()
        if self.only_changed.isChecked():
            self._expand()
            self._select(chosen)
        if self.field is not None:
            self.field.refresh()
        self._tell_count()

    def reveal(self, setting_id: str) -> bool:
        """Show the editor of that setting."""
        if not self.model.index_of(setting_id).isValid():
            self.search.clear()
            self.only_changed.setChecked(False)
        self._select(setting_id)
        if self.field is not None:
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def take_focus(self) -> None:
        """Ready to type what to search for."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _search(self) -> None:
        chosen = self.field.entry.id if self.field is not None else ""
        self.model.search(self.search.text(), only_changed=self.only_changed.isChecked())
        self._expand()
        self._select(chosen)
        self._tell_count()

    def _tell_count(self) -> None:
        self.count.setText(f"{self.model.count} settings")

    def _expand(self) -> None:
        # The hundreds of units stay folded until they are looked for.
        is_narrow = bool(self.search.text().strip()) or self.only_changed.isChecked()
        for row in range(self.model.rowCount()):
            index = self.model.index(row, TITLE)
            self.tree.setExpanded(index, is_narrow or not str(index.data()).startswith(UNITS))

    def _select(self, setting_id: str) -> None:
        index = self.model.index_of(setting_id) if setting_id else QModelIndex()
        if index.isValid():
            self.tree.expand(index.parent())
            self.tree.setCurrentIndex(index)
            self.tree.scrollTo(index)
            # The editor below takes room from the list: look again when it has taken it.
            QTimer.singleShot(0, self.tree, safe(lambda: self.tree.scrollTo(self.tree.currentIndex())))

    def _choose(self, current: QModelIndex, _former: QModelIndex) -> None:
        entry = self.model.entry(current)
        if entry is None or (self.field is not None and self.field.entry.id == entry.id):
            return
        if self.field is not None:
            self._inside.removeWidget(self.field)
            self.field.hide()
            self.field.deleteLater()
        self._hint.hide()
        self.field = Field(self.context, entry.id)
        self._inside.addWidget(self.field)
        self.field.show()
        leave_steps(self.field, self._steps)

    def _activate(self, index: QModelIndex) -> None:
        entry = self.model.entry(index)
        if entry is None:
            self.tree.setExpanded(index, not self.tree.isExpanded(index))
        elif isinstance(entry.kind, OnOff):
            self.context.model.set(entry.id, not self.context.model.value(entry.id))
        elif self.field is not None:
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
