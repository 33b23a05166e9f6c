"""What is to be run: a workload on the model with its options, or any command, and the folder to run it in."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from hlprof_core.workloads.catalog import WORKLOADS
from hlprof_core.workloads.workload import Option
from hlprof_gui.config_window.editor import QuietComboBox, SizeBox
from hlprof_gui.config_window.live_page import dim_label, heading, keep_own_steps, plain_label
from hlprof_gui.config_window.page import PageContext
from hlprof_gui.notify import safe
from hlprof_gui.viewmodels.run_plan import Kind, RunPlan

MOST_ITERATIONS = 1_000_000
OPTION_COLUMNS = 3


class RunForm(QWidget):
    """Writes into the plan; ``refresh`` shows it. ``controls`` are switched off while something runs."""

    def __init__(self, context: PageContext, plan: RunPlan) -> None:
        super().__init__()
        self._context, self._plan = context, plan
        self.kinds: dict[str, QPushButton] = {}
        self._group = QButtonGroup(self)
        kinds: tuple[tuple[Kind, str, str], ...] = (
            ("workload", "A workload on the model", "Runs on the device model; no Gaudi is needed"),
            ("command", "A command", "Any program that uses the device"),
        )
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(heading(context, "Run from here"), 1)
        for kind, title, tip in kinds:
            button = QPushButton(title)
            button.setCheckable(True)
            button.setToolTip(tip)
            button.clicked.connect(safe(lambda _=False, kind=kind: plan.choose_kind(kind)))
            self._group.addButton(button)
            self.kinds[kind] = button
            head.addWidget(button)
        self.stack = QStackedWidget()
        self.stack.addWidget(self._make_workload())
        self.stack.addWidget(self._make_command())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self.stack)
        layout.addWidget(self._make_options())
        layout.addLayout(self._make_folder())
        keep_own_steps(self.command, self.profiled, self.folder, self.iterations.lineEdit())
        self.refresh()

    # -- building ---------------------------------------------------------------------------------------------------

    def _make_workload(self) -> QWidget:
        plan = self._plan
        self.workload = QuietComboBox(self._context.theme)
        self.workload.setAccessibleName("Workload")
        for entry in WORKLOADS:
            self.workload.addItem(entry.name, entry.name)
            self.workload.setItemData(self.workload.count() - 1, entry.title, Qt.ItemDataRole.ToolTipRole)
        self.workload.activated.connect(safe(lambda row: self._choose_workload(str(self.workload.itemData(row)))))
        self.iterations = SizeBox(self._context.theme)
        self.iterations.setSuffix("")
        self.iterations.setRange(1, MOST_ITERATIONS)
        self.iterations.setAccessibleName("Iterations")
        self.iterations.valueChanged.connect(safe(plan.set_iterations))
        self.profiled = QLineEdit()
        self.profiled.setFont(self._context.theme.mono_font)
        self.profiled.setAccessibleName("Iterations to record")
        self.profiled.setPlaceholderText("as the phase says")
        self.profiled.setToolTip("Iterations that the program records itself, for example 2,6,12")
        self.profiled.textEdited.connect(safe(plan.set_profiled))
        self.more = QPushButton("Options…")
        self.more.setCheckable(True)
        self.more.setToolTip("Sizes and data types of the workload")
        self.more.clicked.connect(safe(lambda *_: self.refresh()))
        widget = QWidget()
        grid = QGridLayout(widget)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(8)
        for column, (text, control, share) in enumerate(
            (("Workload", self.workload, 4), ("Iterations", self.iterations, 3), ("Record", self.profiled, 5), ("", self.more, 0))
        ):
            grid.addWidget(dim_label(text, wrap=False), 0, column)
            grid.addWidget(control, 1, column)
            grid.setColumnStretch(column, share)
        return widget

    def _make_command(self) -> QWidget:
        self.command = QLineEdit()
        self.command.setFont(self._context.theme.mono_font)
        self.command.setAccessibleName("Command")
        self.command.setPlaceholderText("python train.py --epochs 1")
        self.command.textEdited.connect(safe(self._plan.set_command))
        widget = QWidget()
        column = QVBoxLayout(widget)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(dim_label("Command", wrap=False))
        column.addWidget(self.command)
        column.addStretch(1)
        return widget

    def _make_options(self) -> QWidget:
        self.options_box = QWidget()
        self._grid = QGridLayout(self.options_box)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(6)
        self.options: dict[str, QLineEdit | QuietComboBox] = {}
        """Made when they are looked at."""
        return self.options_box

    def _clear_options(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        self.options = {}

    def _fill_options(self) -> None:
        for number, option in enumerate(self._plan.workload.options):
            row, column = divmod(number, OPTION_COLUMNS)
            label = plain_label(option.name)
            label.setToolTip(option.help)
            self._grid.addWidget(label, row, 2 * column)
            self.options[option.name] = self._option(option)
            self._grid.addWidget(self.options[option.name], row, 2 * column + 1)
            self._grid.setColumnStretch(2 * column + 1, 1)

    def _option(self, option: Option) -> QLineEdit | QuietComboBox:
        """The control of an option: a choice, or a text whose placeholder is the default."""
        plan = self._plan
        if option.choices:
            box = QuietComboBox(self._context.theme)
            box.addItems(list(option.choices))
            box.setCurrentText(str(option.default))
            box.activated.connect(
                safe(lambda _: plan.set_option(option.name, "" if box.currentText() == option.default else box.currentText()))
            )
            control: QLineEdit | QuietComboBox = box
        else:
            field = QLineEdit()
            keep_own_steps(field)
            field.setPlaceholderText(str(option.default))
            field.textEdited.connect(safe(lambda text: plan.set_option(option.name, text)))
            control = field
        control.setToolTip(option.help)
        control.setAccessibleName(f"{option.name}: {option.help}")
        control.setMinimumWidth(60)
        return control

    def _make_folder(self) -> QHBoxLayout:
        self.folder = QLineEdit()
        self.folder.setFont(self._context.theme.mono_font)
        self.folder.setAccessibleName("Folder to run in")
        self.folder.textEdited.connect(safe(self._plan.set_folder))
        self.browse = QToolButton()
        self.browse.setIconSize(QSize(18, 18))
        self.browse.setToolTip("Choose the folder")
        self.browse.setAccessibleName("Choose the folder to run in")
        self.browse.clicked.connect(safe(lambda *_: self._browse()))
        tint = safe(lambda: self.browse.setIcon(self._context.theme.icon("open")))
        self._context.theme.follow(self.browse, tint)
        tint()
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(dim_label("Run in", wrap=False))
        row.addWidget(self.folder, 1)
        row.addWidget(self.browse)
        return row

    # -- changes ----------------------------------------------------------------------------------------------------

    def _choose_workload(self, name: str) -> None:
        self._clear_options()
        self._plan.choose_workload(name)

    def _browse(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "Run In", str(self._plan.folder))
        if name:
            self._plan.set_folder(name)

    def refresh(self) -> None:
        """Show the plan."""
        plan = self._plan
        self.kinds[plan.kind].setChecked(True)
        self.stack.setCurrentIndex(0 if plan.kind == "workload" else 1)
        is_open = plan.kind == "workload" and self.more.isChecked()
        if is_open and not self.options:
            self._fill_options()
        self.options_box.setVisible(is_open)
        self.workload.setCurrentText(plan.workload.name)
        if self.iterations.value() != plan.iterations:
            self.iterations.setValue(plan.iterations)
        for field, text in ((self.profiled, plan.profiled), (self.command, plan.command), (self.folder, str(plan.folder))):
            if not field.hasFocus():
                field.setText(text)

