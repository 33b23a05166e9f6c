"""Arguments as a tree: key and value, children of objects and lists made when a branch is opened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

Index = QModelIndex | QPersistentModelIndex
TEXT_LIMIT = 2000


class ArgsNode:
    """One key with its value; ``children`` come into being on first use."""

    def __init__(self, key: str, value: Any, parent: ArgsNode | None, row: int) -> None:
        self.key = key
        self.value = value
        self.parent = parent
        self.row = row
        self._children: list[ArgsNode] | None = None

    @property
    def child_count(self) -> int:
        return len(self.value) if isinstance(self.value, (Mapping, list)) else 0

    @property
    def children(self) -> list[ArgsNode]:
        if self._children is None:
            pairs = self.value.items() if isinstance(self.value, Mapping) else enumerate(self.value)
            self._children = [ArgsNode(str(key), value, self, row) for row, (key, value) in enumerate(pairs)]
        return self._children

    @property
    def text(self) -> str:
        """The value in one line; long ones are cut (the tooltip and copying have more)."""
        if isinstance(self.value, Mapping):
            return f"{{{len(self.value)}}}"
        if isinstance(self.value, list):
            flat = json.dumps(self.value, ensure_ascii=False, default=str) if len(self.value) <= 8 else ""
            return flat if flat and len(flat) <= 60 else f"[{len(self.value)}]"
        return value_text(self.value)[:TEXT_LIMIT].replace("\n", " ⏎ ")


def value_text(value: Any) -> str:
    """A value as a person reads it: texts bare, the rest as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str, indent=2)


class ArgsModel(QAbstractItemModel):
    """Two columns over a mapping."""

    HEADERS = ("Argument", "Value")

    def __init__(self, mono: QFont, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mono = mono
        self._root = ArgsNode("", {}, None, 0)

    def set_args(self, args: Mapping[str, Any]) -> None:
        """Show these arguments instead."""
        self.beginResetModel()
        self._root = ArgsNode("", dict(args), None, 0)
        self.endResetModel()

    def node(self, index: Index) -> ArgsNode:
        """The node behind an index; the root for an invalid one."""
        found = index.internalPointer() if index.isValid() else None
        return found if isinstance(found, ArgsNode) else self._root

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, self.node(parent).children[row])

    def parent(self, index: Index = QModelIndex()) -> QModelIndex:  # type: ignore[override]
        up = self.node(index).parent
        return QModelIndex() if up is None or up is self._root else self.createIndex(up.row, 0, up)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.column() > 0 else self.node(parent).child_count

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 2

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        node = self.node(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return node.key if index.column() == 0 else node.text
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == 1:
            return value_text(node.value)[:TEXT_LIMIT]
        if role == Qt.ItemDataRole.FontRole and index.column() == 1:
            return self._mono
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self.HEADERS[section]
        return None
