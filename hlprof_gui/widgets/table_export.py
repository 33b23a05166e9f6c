"""The one way in which tables leave the window: a file for programs, a page for people, or the clipboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QFileDialog, QPushButton, QTableView

from hlprof_core import services
from hlprof_core.progress import Progress
from hlprof_gui.commands.command import Deeds
from hlprof_gui.notify import safe
from hlprof_gui.viewmodels.sheets import file_stem
from hlprof_gui.widgets.panel import PanelContext

if TYPE_CHECKING:
    from hlprof_core.report.sheet import Sheet

MOST_COPIED = 100_000
"""More rows are for a file."""
KINDS = (("csv", "CSV"), ("html", "Page"), ("tsv", "Text with tabs"))
SORT_MARKS = "▴▾"
Save = Callable[[Path, Progress], None]


class TableExport(QObject):
    """``sheet`` makes the table as it is shown, None while there is nothing. ``save``: how kinds are written that no sheet can be."""

    def __init__(
        self,
        context: PanelContext,
        table: QTableView,
        name: str,
        sheet: Callable[[], Sheet | None],
        *,
        more_kinds: Sequence[tuple[str, str]] = (),
        save: Callable[[], Save | None] | None = None,
    ) -> None:
        super().__init__(table)
        self._context, self._table, self._name, self._sheet = context, table, name, sheet
        self._kinds, self._save = (*KINDS, *more_kinds), save
        self.keys = (f"{name}.export", f"{name}.copy")
        """Keys of its jobs."""
        self.copy_button = QPushButton("Copy")
        self.copy_button.setToolTip("Copy all rows as text with tabs, for a spreadsheet; Ctrl+C copies the chosen rows")
        self.copy_button.setAccessibleName(f"Copy {table.accessibleName()}")
        self.copy_button.clicked.connect(self.copy)
        self.button = QPushButton("Export…")
        self.button.setToolTip(f"Write the table as it is shown: {', '.join(title for _, title in self._kinds)}")
        self.button.setAccessibleName(f"Export {table.accessibleName()}")
        self.button.clicked.connect(self.ask)
        shortcut = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), table, context=Qt.ShortcutContext.WidgetShortcut)
        shortcut.activated.connect(self.copy_chosen)
        self.set_possible(False)

    @property
    def deeds(self) -> Deeds:
        """What a menu on the table can do with it."""
        whole: Deeds = {"copy_table": self.copy, "export_table": self.ask} if self.button.isEnabled() else {}
        return {"copy_row": self.copy_chosen, **whole}

    def set_possible(self, is_possible: bool) -> None:
        """Whether there is something to export."""
        self.button.setEnabled(is_possible)
        self.copy_button.setEnabled(is_possible)

    @safe
    def ask(self, *_: object) -> None:
        """Let the user name a file."""
        trace = self._context.state.trace
        if trace is None:
            return
        kinds = ";;".join(f"{title} (*.{suffix})" for suffix, title in self._kinds)
        proposal = self._context.settings.folder / f"{file_stem(trace)}-{self._name}.csv"
        name, chosen = QFileDialog.getSaveFileName(self._table, f"Export {self._table.accessibleName()}", str(proposal), kinds)
        if name:
            self.save_to(self._named(Path(name), chosen))

    def _named(self, target: Path, chosen: str) -> Path:
        """The suffix of the chosen kind, unless the name has one of them."""
        if target.suffix.lower().removeprefix(".") in [suffix for suffix, _ in self._kinds]:
            return target
        suffix = next((suffix for suffix, title in self._kinds if chosen.startswith(f"{title} (")), "csv")
        return target.with_name(f"{target.name}.{suffix}")

    def save_to(self, target: Path) -> None:
        """Write the table there, in the background."""
        sheet = self._sheet() if self._save is None else None
        save = self._save() if self._save is not None else None
        if sheet is None and save is None:
            return

        def work(progress: Progress) -> None:
            if save is not None:
                save(target, progress)
            elif sheet is not None:
                services.export_sheet(sheet, target, progress)

        self._context.jobs.start(self.keys[0], f"Writing {target.name}", work, lambda _: self._context.notifier.post(f"Saved {target}."))

    @safe
    def copy(self, *_: object) -> None:
        """Put all rows on the clipboard, as text with tabs."""
        sheet = self._sheet()
        if sheet is None:
            return

        def work(progress: Progress) -> tuple[str, int]:
            from hlprof_core.report.sheet import sheet_text

            return sheet_text(sheet, MOST_COPIED, progress)

        def done(copied: tuple[str, int]) -> None:
            text, rows = copied
            QGuiApplication.clipboard().setText(text)
            more = f" of {sheet.count:,}; a file takes all" if sheet.count is not None and sheet.count > rows else ""
            self._context.notifier.post(f"Copied {rows:,} row{'s' * (rows != 1)}{more}.")

        self._context.jobs.start(self.keys[1], "Copying", work, done)

    @safe
    def copy_chosen(self) -> None:
        """Put the chosen rows on the clipboard as they are shown, below the titles of the columns."""
        model, rows = self._table.model(), sorted({index.row() for index in self._table.selectionModel().selectedIndexes()})
        if not rows:
            return
        columns = range(model.columnCount(QModelIndex()))
        head = [str(model.headerData(c, Qt.Orientation.Horizontal) or "").rstrip(SORT_MARKS + " ") for c in columns]
        cells = [[" ".join(str(model.index(row, c).data() or "").split()) for c in columns] for row in rows]
        QGuiApplication.clipboard().setText("".join("\t".join(line) + "\n" for line in [head, *cells]))
        self._context.notifier.post(f"Copied {len(rows):,} row{'s' * (len(rows) != 1)}.")
