"""Generations, their groups of trace units and the units as a tree with check boxes; the switches do the thinking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from hlprof_core.config.unit_tree import unit_tree
from hlprof_gui.notify import safe_or
from hlprof_gui.viewmodels.unit_switches import Count, Share, UnitSwitches, engine_names

Index = QModelIndex | QPersistentModelIndex
COLUMNS = ("Unit", "Recording")
NAME, ON = range(2)
STATES = {Share.NONE: Qt.CheckState.Unchecked, Share.SOME: Qt.CheckState.PartiallyChecked, Share.ALL: Qt.CheckState.Checked}
NOTHING = QModelIndex()


class Node(Struct):
    """A row: a generation, a group of it, or a unit of that. ``number`` is the place in the model's list of nodes."""

    number: int
    row: int
    parent: Node | None
    generation: str
    group: str
    unit: str
    name: str
    title: str
    children: list[Node] = field(default_factory=list)


class UnitTreeModel(QAbstractItemModel):
    """``refresh`` after each change of the document."""

    def __init__(self, switches: UnitSwitches, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._switches = switches
        self._nodes: list[Node] = []
        self._tops: list[Node] = []
        self._counts: dict[int, Count] = {}
        self.generations: tuple[str, ...] = ()

    # -- content ----------------------------------------------------------------------------------------------------

    def show_generations(self, generations: Sequence[str]) -> None:
        """Start over with the units of these."""
        if tuple(generations) == self.generations:
            return
        self.beginResetModel()
        self.generations = tuple(generations)
        self._nodes, self._tops = [], []
        for name in generations:
            tree, engines = unit_tree(name), engine_names(name)
            top = self._add(None, name, "", "", tree.title, "")
            for group in tree.groups:
                branch = self._add(top, name, group.name, "", group.name, group.title)
                for unit in group.units:
                    self._add(branch, name, group.name, unit, unit, engines.get(unit, ""))
        self._count_all()
        self.endResetModel()

    def _add(self, parent: Node | None, generation: str, group: str, unit: str, name: str, title: str) -> Node:
        siblings = self._tops if parent is None else parent.children
        node = Node(len(self._nodes), len(siblings), parent, generation, group, unit, name, title)
        self._nodes.append(node)
        siblings.append(node)
        return node

    def refresh(self) -> None:
        """Ask the document anew; tells the views what may look different."""
        before = self._counts
        self._count_all()
        changed = {number for number, count in self._counts.items() if count != before.get(number)}
        for siblings in (self._tops, *(node.children for node in self._nodes if node.children)):
            rows = [node.row for node in siblings if node.number in changed]
            if rows:
                first, last = siblings[min(rows)], siblings[max(rows)]
                self.dataChanged.emit(self.index_of(first), self.index_of(last, ON))

    def _count_all(self) -> None:
        self._counts = {}
        for node in reversed(self._nodes):
            # Children come after their parents, so from the end each finds its parts counted.
            if node.unit or not node.children:
                is_on = self._switches.is_on(node.generation, node.group, node.unit)
                self._counts[node.number] = Count(int(is_on), 1)
            else:
                self._counts[node.number] = sum((self._counts[child.number] for child in node.children), Count(0, 0))

    # -- nodes and indexes ------------------------------------------------------------------------------------------

    def node(self, index: Index) -> Node | None:
        """The row behind an index of this model."""
        return self._nodes[index.internalId()] if index.isValid() else None

    def index_of(self, node: Node, column: int = NAME) -> QModelIndex:
        return self.createIndex(node.row, column, node.number)

    def find(self, generation: str, group: str = "", unit: str = "") -> QModelIndex:
        """The index of a row, invalid when it is not in the tree."""
        found = next((n for n in self._nodes if (n.generation, n.group, n.unit) == (generation, group, unit)), None)
        return self.index_of(found) if found is not None else QModelIndex()

    def count(self, node: Node) -> Count:
        return self._counts[node.number]

    # -- what Qt asks -----------------------------------------------------------------------------------------------

    @safe_or(NOTHING)
    def index(self, row: int, column: int, parent: Index = NOTHING) -> QModelIndex:
        # Asked thousands of times while rows are laid out: what Qt's hasIndex asks the model for is at hand here.
        above = self.node(parent)
        rows = self._tops if above is None else above.children
        is_there = 0 <= row < len(rows) and 0 <= column < len(COLUMNS) and parent.column() <= NAME
        return self.index_of(rows[row], column) if is_there else QModelIndex()

    @safe_or(NOTHING)
    def parent(self, index: Index = NOTHING) -> QModelIndex:
        node = self.node(index)
        return self.index_of(node.parent) if node is not None and node.parent is not None else QModelIndex()

    @safe_or(0)
    def rowCount(self, parent: Index = NOTHING) -> int:
        if parent.column() > NAME:
            return 0
        above = self.node(parent)
        return len(self._tops if above is None else above.children)

    @safe_or(0)
    def columnCount(self, parent: Index = NOTHING) -> int:
        return len(COLUMNS)

    @safe_or(Qt.ItemFlag.NoItemFlags)
    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        plain = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return plain | Qt.ItemFlag.ItemIsUserCheckable if index.column() == NAME else plain

    @safe_or(None)
    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        return None

    @safe_or(None)
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        node = self.node(index)
        if node is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(node, index.column())
        if role == Qt.ItemDataRole.CheckStateRole and index.column() == NAME:
            return STATES[self.count(node).share]
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
            return self._tip(node)
        return None

    def _text(self, node: Node, column: int) -> str:
        if column == NAME:
            return f"{node.name}   {node.title}" if node.title else node.name
        if node.unit:
            return ""
        return self.count(node).text if node.children else self.count(node).share.value

    def _tip(self, node: Node) -> str:
        if node.unit:
            state = "records" if self.count(node).on else "is off"
            return f"{node.unit} {state}; rows of {node.title}" if node.title else f"{node.unit} {state}"
        return f"{node.title or node.name}: {self.count(node).text}"

    @safe_or(False)
    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        node = self.node(index)
        if node is None or role != Qt.ItemDataRole.CheckStateRole or index.column() != NAME:
            return False
        on = Qt.CheckState(value) == Qt.CheckState.Checked
        if node.unit:
            self._switches.set_unit(node.generation, node.group, node.unit, on)
        elif node.group:
            self._switches.set_group(node.generation, node.group, on)
        else:
            self._switches.set_generation(node.generation, on)
        self.refresh()
        return True
