"""Dock: the selected item, its facts and all its arguments; without a selection the latest measure."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QTreeView, QVBoxLayout, QWidget

from hlprof_core.analysis.filter import quote
from hlprof_core.trace.model import Trace
from hlprof_gui.commands.command import Deeds
from hlprof_gui.notify import safe
from hlprof_gui.qtmodels.args_model import ArgsModel, value_text
from hlprof_gui.state.view_state import Item
from hlprof_gui.viewmodels.details import Details, describe, describe_measure
from hlprof_gui.viewmodels.peers import Peers, find_peers
from hlprof_gui.viewmodels.short_texts import IN_BLOCK, breakable, one_line
from hlprof_gui.viewmodels.tensors import Tensor
from hlprof_gui.widgets.breaking_label import BreakingLabel
from hlprof_gui.widgets.context_menu import attach_menu
from hlprof_gui.widgets.fact_form import FactForm, escape
from hlprof_gui.widgets.histogram import Histogram
from hlprof_gui.widgets.own_keys import keep_moving_keys
from hlprof_gui.widgets.panel import PanelContext
from hlprof_gui.widgets.short_cells import ShortCells
from hlprof_gui.widgets.stack_list import StackList

QUICK, JOB = 100_000, "peers"
"""In a trace with so many slices a slice is compared with its like at once."""
EMPTY = "Click something on the timeline to see what it is.\nWith the timing tool (4), measure between any two edges."


class DetailsPanel(QWidget):
    """Facts above, arguments below."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__()
        self.setObjectName("panelBody")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._context = context
        self._theme = context.theme
        self.details: Details | None = None
        self._is_told = False
        self.title, self.subtitle = BreakingLabel(), BreakingLabel()
        self.title.setFont(context.theme.bold_font)
        self.subtitle.setProperty("dim", True)
        for label in (self.title, self.subtitle):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._copy = QToolButton()
        self._copy.setToolTip("Copy as JSON (Ctrl+Shift+C)")
        self._copy.setAccessibleName("Copy details")
        self._copy.clicked.connect(self.copy)
        head = QHBoxLayout()
        head.setSpacing(8)
        names = QVBoxLayout()
        names.setSpacing(2)
        names.addWidget(self.title)
        names.addWidget(self.subtitle)
        head.addLayout(names, 1)
        head.addWidget(self._copy, 0, Qt.AlignmentFlag.AlignTop)
        self._form = FactForm(context.theme, partial(context.state.select, reveal=True), self._copy)
        self.args_model = ArgsModel(context.theme.mono_font, self)
        self.args = QTreeView()
        self.args.setModel(self.args_model)
        self.args.setAccessibleName("Arguments")
        self.args.setAlternatingRowColors(True)
        self.args.setUniformRowHeights(True)
        self.args.setIndentation(14)
        self.args.setItemDelegate(ShortCells(self.args))
        keep_moving_keys(self.args)
        attach_menu(self.args, "arguments", context.menu, self._deeds)
        self._empty = QLabel(EMPTY)
        self._empty.setProperty("dim", True)
        self._empty.setWordWrap(True)
        self._body = QWidget()
        self._body.setObjectName("detailsBody")
        body = QVBoxLayout(self._body)
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(12)
        body.addLayout(head)
        body.addLayout(self._form)
        self.histogram = Histogram(context.theme)
        self.histogram.setAccessibleName("Durations of slices of this name")
        body.addWidget(self.histogram)
        self.tensors = QLabel()
        self.tensors.setTextFormat(Qt.TextFormat.RichText)
        self.tensors.setAccessibleName("Tensors")
        self.tensors.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        body.addWidget(self.tensors)
        self.stack = StackList(context)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 10, 0)
        layout.setSpacing(12)
        layout.addWidget(self._empty)
        layout.addWidget(self._body)
        layout.addWidget(self.stack)
        layout.addWidget(self.args, 1)
        layout.addStretch(0)
        self.setMinimumWidth(280)
        state = context.state
        state.trace_changed.connect(self._forget_trouble)
        for signal in (state.selection_changed, state.measures_changed, state.trace_changed):
            signal.connect(self.refresh)
        context.theme.follow(self, self._tint)
        self._tint()
        self.refresh()

    @safe
    def _tint(self) -> None:
        self._copy.setIcon(self._theme.icon("copy"))
        if self.details is not None:
            self._show_texts(self.details)

    def _forget_trouble(self) -> None:
        self._is_told = False

    @safe
    def refresh(self) -> None:
        """Describe what is chosen now."""
        state = self._context.state
        details = None
        self._context.jobs.cancel(JOB)
        if state.trace is not None and state.selection is not None:
            details = describe(state.trace, state.selection, self._peers_of(state.trace, state.selection))
        elif state.trace is not None and state.measures:
            details = describe_measure(state.trace, state.measures[-1])
        self.details = details
        self._empty.setVisible(details is None)
        self._body.setVisible(details is not None)
        self.args.setVisible(details is not None and bool(details.args))
        if details is None:
            self.stack.show_stacks((), ())
        if details is not None:
            self._show(details)
            if details.trouble is not None and not self._is_told:
                self._is_told = True
                self._context.notifier.post_error(details.trouble)

    def _peers_of(self, trace: Trace, item: Item) -> Peers | None:
        """How the slice compares with its like: at once in a small trace, else later."""
        if item.kind != "slice":
            return None
        if len(trace.slices) <= QUICK:
            return find_peers(trace, item.id)
        take = partial(self._take_peers, trace, item)
        self._context.jobs.start(JOB, "Comparing", lambda _: find_peers(trace, item.id), take)
        return None

    def _take_peers(self, trace: Trace, item: Item, peers: Peers | None) -> None:
        state = self._context.state
        if peers is not None and (trace, item) == (state.trace, state.selection):
            self.details = describe(trace, item, peers)
            self._show(self.details)

    def _show(self, details: Details) -> None:
        self.title.setText(breakable(one_line(details.title, IN_BLOCK)))
        self.subtitle.setText(breakable(details.subtitle))
        self._show_texts(details)
        self.histogram.setVisible(details.peers is not None)
        if details.peers is not None:
            self.histogram.show_spread(details.peers.spread, details.duration_ns)
        self.stack.show_stacks(details.stack, details.end_stack)
        self.tensors.setVisible(bool(details.tensors))
        self.args_model.set_args(details.args)
        for row, node in enumerate(self.args_model.node(QModelIndex()).children):
            if isinstance(node.value, dict):
                self.args.expand(self.args_model.index(row, 0))
        self.args.setRootIsDecorated(any(isinstance(value, (dict, list)) for value in details.args.values()))
        self.args.resizeColumnToContents(0)
        self.args.setColumnWidth(0, min(self.args.columnWidth(0) + 8, 170))
        for part in (self._body, self):  # else the texts may be painted in the places of those before
            part.layout().activate()

    def _show_texts(self, details: Details) -> None:
        """What has colours of the theme in it."""
        self._form.show_facts(details.facts)
        self.tensors.setText(self._tensor_table(details.tensors))

    def _tensor_table(self, tensors: tuple[Tensor, ...]) -> str:
        dim = self._theme.palette.text_dim
        head = "".join(f'<td style="color:{dim};padding-right:14px">{word}</td>' for word in ("Tensor", "Shape", "Type", "Strides"))
        cells = (
            "".join(f'<td style="padding-right:14px">{escape(cell)}</td>' for cell in (t.role, t.shape, t.dtype, t.strides))
            for t in tensors
        )
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"

    @safe
    def copy(self, *_: object) -> None:
        """Put facts and arguments on the clipboard as JSON."""
        if self.details is not None:
            QGuiApplication.clipboard().setText(self.details.to_json())
            self._context.notifier.post(f"Copied the details of {self.details.title}.")

    def _deeds(self, index: QModelIndex) -> Deeds:
        node = self.args_model.node(index)
        return {
            "copy_value": lambda: QGuiApplication.clipboard().setText(value_text(node.value)),
            "copy_key": lambda: QGuiApplication.clipboard().setText(node.key),
            "filter_by": lambda: self._search_value(value_text(node.value)),
        }

    def _search_value(self, words: str) -> None:
        self._context.search.set_in_args(True)
        self._context.search.set_words(quote(words))
        self._context.show("matches")
