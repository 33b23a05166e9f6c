"""Page: which trace units record, as a tree with counts, and the lists of bus monitors and counters beside it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QSplitter,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from hlprof_core.config.unit_tree import unit_tree
from hlprof_gui.config_window.lists_panel import ListsPanel
from hlprof_gui.config_window.live_page import LivePage, dim_label, keep_own_steps, plain_label
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.config_window.unit_tree_model import NAME, ON, Node, UnitTreeModel
from hlprof_gui.notify import safe
from hlprof_gui.viewmodels.units import UnitsViewModel

SIDE_BY_SIDE = 690
"""From this width on the lists stand beside the tree, else below it."""


class UnitsPage(LivePage):
    """Tree at the left, editors at the right."""

    def __init__(self, context: PageContext, parent: QWidget) -> None:
        super().__init__(context, parent)
        self.view_model = UnitsViewModel(context.model)
        self.model = UnitTreeModel(self.view_model.switches, self)
        self.filter = QSortFilterProxyModel(self)
        self.filter.setSourceModel(self.model)
        self.filter.setFilterKeyColumn(-1)
        self.filter.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.filter.setRecursiveFilteringEnabled(True)
        self.filter.setAutoAcceptChildRows(True)
        self.lists = ListsPanel(context, self.view_model)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.setChildrenCollapsible(False)
        self.split.setHandleWidth(20)
        self.split.addWidget(self._make_left())
        self.split.addWidget(self.lists)
        self.split.setStretchFactor(0, 5)
        self.split.setStretchFactor(1, 4)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(self._make_head())
        layout.addWidget(self.split, 1)

    def reflow(self, width: int) -> None:
        side_by_side = width >= SIDE_BY_SIDE
        self.split.setOrientation(Qt.Orientation.Horizontal if side_by_side else Qt.Orientation.Vertical)

    # -- building ---------------------------------------------------------------------------------------------------

    def _make_head(self) -> QHBoxLayout:
        self.trace = QCheckBox("Hardware trace")
        self.trace.clicked.connect(safe(lambda *_: self.view_model.switch_tracing(self.trace.isChecked())))
        self.summary = dim_label(wrap=False)
        self.only = QPushButton("This generation")
        self.every = QPushButton("All generations")
        self._scope = QButtonGroup(self)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.trace)
        row.addSpacing(10)
        row.addWidget(self.summary, 1)
        for button, shows_all in ((self.only, False), (self.every, True)):
            button.setCheckable(True)
            button.clicked.connect(safe(lambda _=False, shows_all=shows_all: self._show_scope(shows_all)))
            self._scope.addButton(button)
            row.addWidget(button)
        return row

    def _make_left(self) -> QWidget:
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search units: TPC, NIC0, decoder")
        self.search.setAccessibleName("Search units")
        self.search.setClearButtonEnabled(True)
        keep_own_steps(self.search)
        self.search.textChanged.connect(safe(self._search))
        self.tree = QTreeView()
        self.tree.setModel(self.filter)
        self.tree.setAccessibleName("Trace units")
        self.tree.setProperty("framed", True)
        self.tree.setUniformRowHeights(True)
        self.tree.setAlternatingRowColors(True)
        self.tree.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        self.tree.setMinimumSize(330, 250)
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(ON, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.selectionModel().currentChanged.connect(safe(lambda *_: self._name_buttons()))
        self.chosen = plain_label()
        vm = self.view_model
        self.all_button = self._button("All", "Record every unit of the group", partial(vm.switch, on=True))
        self.none_button = self._button("None", "Record no unit of the group", partial(vm.switch, on=False))
        self.default_button = self._button("Default", "Record what is recorded by default", vm.reset)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.chosen, 1)
        for button in (self.all_button, self.none_button, self.default_button):
            row.addWidget(button)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.search)
        column.addWidget(self.tree, 1)
        column.addLayout(row)
        return left

    def _button(self, text: str, tip: str, act: Callable[[str, str], None]) -> QPushButton:
        """``act`` gets generation and group of the chosen row."""
        button = QPushButton(text)
        button.setToolTip(tip)
        button.clicked.connect(safe(lambda *_: self._act(act)))
        return button

    def _act(self, act: Callable[[str, str], None]) -> None:
        node = self.current_node()
        if node is not None:
            act(node.generation, node.group)

    # -- what is chosen ---------------------------------------------------------------------------------------------

    def current_node(self) -> Node | None:
        """The row that the buttons act on: of a unit, its group."""
        node = self.model.node(self.filter.mapToSource(self.tree.currentIndex()))
        return node.parent if node is not None and node.unit else node

    def _name_buttons(self) -> None:
        node = self.current_node()
        self.chosen.setText(node.title or node.name if node is not None else "Choose a group")
        for button in (self.all_button, self.none_button, self.default_button):
            button.setEnabled(node is not None)

    def _show_scope(self, shows_all: bool) -> None:
        self.view_model.shows_all = shows_all
        self.refresh()

    def _search(self, text: str) -> None:
        self.filter.setFilterFixedString(text.strip())
        if text.strip():
            self.tree.expandAll()
        else:
            self.tree.collapseAll()
            self.tree.expandToDepth(0)
            self.tree.scrollTo(self.tree.currentIndex())

    def reveal(self, setting_id: str) -> bool:
        """Show the row or the editor of a setting."""
        if setting_id == "hw.enable":
            self.trace.setFocus(Qt.FocusReason.OtherFocusReason)
            return True
        top, _, rest = setting_id.partition(".")
        generation, _, rest = rest.partition(".")
        if top != "units":
            return False
        if generation not in self.view_model.generations:
            self._show_scope(True)
        if self.lists.show_list(setting_id):
            return True
        group, _, unit = rest.partition(".")
        self.search.clear()
        index = self.filter.mapFromSource(self.model.find(generation, group, unit))
        if index.isValid():
            self._make_current(index)
            self.tree.setFocus(Qt.FocusReason.OtherFocusReason)
        return index.isValid()

    def _make_current(self, index: QModelIndex) -> None:
        self.tree.scrollTo(index)
        self.tree.selectionModel().setCurrentIndex(
            index, QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        )

    # -- showing ----------------------------------------------------------------------------------------------------

    @safe
    def refresh(self) -> None:
        vm = self.view_model
        self.trace.setChecked(vm.is_tracing)
        self.summary.setText(vm.summary)
        self.only.setEnabled(bool(vm.target))
        self.only.setText(f"{unit_tree(vm.target).title} only" if vm.target else "Target only")
        (self.only if len(vm.generations) == 1 else self.every).setChecked(True)
        if self.model.generations != vm.generations:
            self.model.show_generations(vm.generations)
            if self.search.text().strip():
                self.tree.expandAll()
            else:
                self.tree.expandToDepth(0)
            self._make_current(self.filter.index(0, 0))
        else:
            self.model.refresh()
        self.tree.setEnabled(vm.is_tracing)
        self._name_buttons()
        self.lists.refresh()
