"""The timeline as one widget: overview, ruler, names of rows, canvas and scroll bar over one ``ViewState``."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QPainter, QShowEvent
from PySide6.QtWidgets import QGridLayout, QScrollBar, QWidget

from hlprof_gui.notify import safe
from hlprof_gui.state.view_state import Item, ViewState
from hlprof_gui.theme.theme import Theme
from hlprof_gui.timeline import headers
from hlprof_gui.timeline.backend import BackendChoice, make_canvas
from hlprof_gui.timeline.canvas import CanvasInput, paint_still
from hlprof_gui.timeline.colour_legend import ColourLegend
from hlprof_gui.timeline.headers import HeaderColumn
from hlprof_gui.timeline.interaction import Interaction
from hlprof_gui.timeline.overlay import Overlay
from hlprof_gui.timeline.overview import OverviewLegend, OverviewStrip
from hlprof_gui.timeline.row_steps import slice_beside
from hlprof_gui.timeline.ruler import CornerWidget, RulerWidget
from hlprof_gui.timeline.scene import Scene
from hlprof_gui.timeline.step_band import StepBand, StepTitle

TICK_MS = 16
QUIET_MS, WARM_MS = 250, 20
"""Names are rendered ahead when nothing moved for so long, with so long a pause between two helpings."""


class TimelineView(QWidget):
    """Shows and changes the state; holds nothing but the scroll offset and the width of its name column.

    ``backend``: ``auto``, ``image`` or ``opengl``; auto takes OpenGL only where it is hardware.
    """

    menu_wanted = Signal(object)
    """Argument: the MenuRequest of a right click on any of its parts."""

    def __init__(self, state: ViewState, theme: Theme, parent: QWidget | None = None, *, backend: BackendChoice = "auto") -> None:
        super().__init__(parent)
        self.state, self.theme = state, theme
        self.scene = Scene(state, theme)
        self.interaction = Interaction(state, self.scene)
        self.overlay = Overlay(self.scene, theme, self.interaction)
        self.canvas: CanvasInput = make_canvas(backend, self)
        self.canvas.prepare(self.scene, self.interaction, self.overlay)
        self.ruler = RulerWidget(self.scene, theme, self.interaction, self)
        self.corner = CornerWidget(self.scene, theme, self)
        self.steps = StepBand(self.scene, theme, self)
        self.steps_title = StepTitle(self.steps, theme, self)
        self.overview = OverviewStrip(self.scene, theme, self)
        self.legend = OverviewLegend(self.overview, theme, self)
        self.headers = HeaderColumn(self.scene, theme, self)
        self.colour_legend = ColourLegend(state, theme, self)
        self.scroll_bar = QScrollBar(Qt.Orientation.Vertical, self)
        self.scroll_bar.setAccessibleName("Scroll the rows")
        self._arrange()
        self._keys = QTimer(self, interval=TICK_MS, timerType=Qt.TimerType.PreciseTimer)
        self._keys.timeout.connect(self._tick)
        self._ticked = 0.0
        self._warm = QTimer(self, singleShot=True)
        self._warm.timeout.connect(self._warm_labels)
        self.canvas.resized = self._sync_scroll_bar
        self.canvas.changed.connect(self._input_handled)
        self.ruler.changed.connect(self._input_handled)
        for part in (self.canvas, self.ruler, self.headers, self.steps, self.overview):
            part.menu_wanted.connect(self.menu_wanted)
        self.headers.scrolled.connect(self._scrolled)
        self.headers.resized.connect(self.set_header_width)
        self.scroll_bar.valueChanged.connect(self._scroll_bar_moved)
        self._links: list[Callable[[], None]] = [
            state.trace_changed.connect(self._trace_changed),
            state.window_changed.connect(self._window_moved),
            state.tool_changed.connect(self._overlay_changed),
            state.selection_changed.connect(self._selection_changed),
            state.range_changed.connect(self._bands_changed),
            state.hover_changed.connect(self._overlay_changed),
            state.measures_changed.connect(self._overlay_changed),
            state.marks_changed.connect(self._bands_changed),
            state.folds_changed.connect(self._layout_changed),
            state.arrangement_changed.connect(self._layout_changed),
            state.matches_changed.connect(self.canvas.update),
            self.scene.found_changed.connect(self.canvas.update),
            self.scene.rows_changed.connect(self._layout_changed),
            state.colours_changed.connect(self._colours_changed),
            state.arrows_changed.connect(self._overlay_changed),
            self.scene.flows.changed.connect(self._overlay_changed),
            state.steps_changed.connect(self.steps.refresh),
            state.reveal_wanted.connect(self._reveal),
            state.time_scale_changed.connect(self._time_scale_changed),
            state.scroll_wanted.connect(self._scroll_pages),
            state.row_step_wanted.connect(self._step_row),
            theme.changed.connect(self._trace_changed),
        ]
        self.destroyed.connect(lambda _=None, links=tuple(self._links): [unlink() for unlink in links])
        self.setFocusProxy(self.canvas)

    def _arrange(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(0)
        grid.addWidget(self.legend, 0, 0)
        grid.addWidget(self.overview, 0, 1)
        grid.addWidget(self.steps_title, 1, 0)
        grid.addWidget(self.steps, 1, 1)
        grid.addWidget(self.corner, 2, 0)
        grid.addWidget(self.ruler, 2, 1)
        grid.addWidget(self.headers, 3, 0)
        grid.addWidget(self.canvas, 3, 1)
        grid.addWidget(self.scroll_bar, 3, 2)
        grid.addWidget(self.colour_legend, 4, 0, 1, 3)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(3, 1)
        self.set_header_width(headers.WIDTH)

    @property
    def backend(self) -> str:
        """``image`` or ``opengl``."""
        return str(self.canvas.property("backend"))

    def set_header_width(self, width: int) -> None:
        """Width of the column with the names, logical pixels."""
        for widget in (self.headers, self.corner, self.legend, self.steps_title):
            widget.setFixedWidth(width)
        self.colour_legend.indent = width
        self.colour_legend.update()

    # -- changes of the state ---------------------------------------------------------------------------------------

    def _trace_changed(self) -> None:
        self.overview.forget()
        self.legend.update()
        self.corner.update()
        self.steps.refresh()
        self.colour_legend.refresh()
        self._layout_changed()
        if self.state.trace is not None:
            self._warm.start(QUIET_MS)

    def _layout_changed(self) -> None:
        self._sync_scroll_bar()
        self.headers.update()
        self.legend.update()
        self._bands_changed()

    def _window_changed(self) -> None:
        if self._warm.isActive():
            self._warm.start(QUIET_MS)
        self.canvas.update()
        self.ruler.update()
        self.corner.refresh()
        self.steps.update()

    def _window_moved(self) -> None:
        self.interaction.follow()
        self._window_changed()
        self.overview.follow()

    def _bands_changed(self) -> None:
        """What the overview shows of the trace changed too."""
        self._window_changed()
        self.overview.update()

    def _overlay_changed(self) -> None:
        self.canvas.update()
        self.ruler.update()

    def _colours_changed(self) -> None:
        self.colour_legend.refresh()
        self._overlay_changed()

    def _time_scale_changed(self) -> None:
        self.corner.update()
        self._window_changed()

    def _selection_changed(self) -> None:
        if self.state.time_scale == "selection":
            self._time_scale_changed()
        self.canvas.update()
        self.headers.update()

    def _reveal(self, item: Item) -> None:
        self.scene.reveal(item)
        self._scrolled()

    def _scroll_pages(self, pages: float) -> None:
        self.scene.scroll_by(pages * self.scene.height)
        self._scrolled()

    def _step_row(self, step: int) -> None:
        """Select the nearest slice on another row; without a selected one, one in the middle of what can be seen."""
        scene, state = self.scene, self.state
        trace, layout, selected, window = scene.trace, scene.layout, state.selection, state.window
        if trace is None or layout is None:
            return
        row: int | None = None
        at = (window.start_ns + window.end_ns) // 2
        if selected is not None and selected.kind == "slice":
            s = trace.slices
            row = layout.lane_row(trace, int(s.track[selected.id]), int(s.depth[selected.id]))
            start = int(s.start_ns[selected.id])
            seen = max(start, window.start_ns), min(start + int(s.dur_ns[selected.id]), window.end_ns)
            at = (seen[0] + seen[1]) // 2 if seen[0] <= seen[1] else at
        if row is None:
            row, step = int(layout.visible(scene.top, scene.height)[0]) if len(layout) else 0, 0
        found = slice_beside(trace, layout, row, step, at, window, scene.hiding)
        if found is not None:
            state.select(Item("slice", found), reveal=True)

    # -- input ------------------------------------------------------------------------------------------------------

    def _input_handled(self) -> None:
        """After an event of the canvas: what is not part of the state may have changed."""
        self.canvas.update()
        self.ruler.update()
        if round(self.scene.top) != self.scroll_bar.value():
            self._scrolled()
        if self.interaction.is_moving and not self._keys.isActive():
            self._ticked = time.perf_counter()
            self._keys.start()

    def give_up_drag(self) -> bool:
        """Everything is as before the drag under way; False without one."""
        was = self.overview.cancel() or self.interaction.cancel()
        if was:
            self._input_handled()
        return was

    def _tick(self) -> None:
        now = time.perf_counter()
        self.interaction.tick(min(now - self._ticked, 0.1))
        self._ticked = now
        if not self.interaction.is_moving:
            self._keys.stop()

    def _warm_labels(self) -> None:
        if self.isVisible() and self.scene.warm_labels():
            self._warm.start(WARM_MS)

    # -- vertical scrolling -----------------------------------------------------------------------------------------

    def _sync_scroll_bar(self) -> None:
        bar = self.scroll_bar
        bar.blockSignals(True)
        bar.setRange(0, round(self.scene.max_top))
        bar.setPageStep(max(1, self.scene.height))
        bar.setEnabled(bar.maximum() > 0)
        bar.setSingleStep(20)
        bar.setValue(round(self.scene.top))
        bar.blockSignals(False)

    def _scrolled(self) -> None:
        self.interaction.follow()
        self._sync_scroll_bar()
        self.headers.update()
        self.canvas.update()

    def _scroll_bar_moved(self, value: int) -> None:
        self.scene.scroll_to(value)
        self._scrolled()

    @safe
    def showEvent(self, _event: QShowEvent) -> None:
        if self.state.trace is not None:
            self._warm.start(QUIET_MS)

    @safe
    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self.scene.resize(self.canvas.width(), self.canvas.height(), self.canvas.devicePixelRatioF())
            self.overview.forget()

    # -- pictures ---------------------------------------------------------------------------------------------------

    def paint_picture(self, painter: QPainter, *, labels_as_text: bool = False) -> None:
        """Paint the view as it is, every label included, with a painter of any device; without the scroll bar."""
        parts: tuple[tuple[QWidget, Callable[[QPainter], None]], ...] = (
            (self.legend, self.legend.paint_legend),
            (self.overview, self.overview.paint_overview),
            (self.corner, self.corner.paint_corner),
            (self.ruler, self.ruler.paint_ruler),
            (self.headers, self.headers.paint_headers),
            (self.canvas, lambda p: paint_still(p, self.scene, self.overlay, labels_as_text=labels_as_text)),
        )
        if self.state.colour_by != "name":
            parts += ((self.colour_legend, self.colour_legend.paint_legend),)
        if self.state.steps:
            parts += ((self.steps_title, self.steps_title.paint_title), (self.steps, self.steps.paint_band))
        for widget, paint in parts:
            painter.save()
            painter.translate(widget.geometry().topLeft())
            painter.setClipRect(QRect(QPoint(0, 0), widget.size()))
            paint(painter)
            painter.restore()

    def picture(self) -> QImage:
        """The view as an image in device pixels."""
        ratio = self.devicePixelRatioF()
        image = QImage(self.size() * ratio, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(self.theme.color("panel"))
        painter = QPainter(image)
        self.paint_picture(painter)
        painter.end()
        return image
