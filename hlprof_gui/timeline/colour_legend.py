"""What the colours mean when slices are coloured by something that is not written on them; a click filters by it."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from hlprof_core.analysis.group_label import NO_VALUE, label_of
from hlprof_core.trace.model import Trace
from hlprof_core.units import format_ns
from hlprof_gui.notify import safe
from hlprof_gui.state.view_state import ColourBy, ColourGroups, ViewState
from hlprof_gui.theme.palette import Palette
from hlprof_gui.theme.theme import Theme
from hlprof_gui.timeline import colours
from hlprof_gui.widgets.tipped import TippedWidget

HEIGHT, SWATCH, GAP, LABEL_MOST = 22, 9, 16, 180
SAMPLES = 100_000
"""So many slices tell which values are frequent."""
MOST_ENTRIES = 40


class Meaning(Struct, frozen=True):
    """One colour: ``label`` as a person reads it, ``colour`` 0xffRRGGBB, ``field`` and ``value`` (a label) for a filter, field "": none."""

    label: str
    colour: int
    field: str = ""
    value: str = ""


def meanings(trace: Trace, palette: Palette, by: ColourBy, groups: ColourGroups | None = None) -> tuple[Meaning, ...]:
    """What the colours stand for, the frequent ones first; nothing where names are coloured: slices carry them."""
    fills = colours.ramp_fills(palette) if by == "duration" else colours.fills(palette)
    if by == "duration":
        return tuple(_decades(fills))
    step = max(1, len(trace.slices) // SAMPLES)
    found: list[tuple[str, int, str, str]] = []
    if by == "category":
        numbers = colours.category_colours(trace, len(fills))
        texts = [(key, label_of(trace.strings[key])) for key in _frequent(trace.slices.cat[::step])]
        found += [(text, int(numbers[key]), "cat", text) for key, text in texts]
    elif by in ("engine", "rank"):
        track = trace.slices.track[::step]
        if by == "engine":
            engines, places = colours.track_engines(trace)
            for place in _frequent(places[track]):
                engine = engines[place]
                found.append((label_of(engine), colours.engine_number(engine), "engine", engine or "none"))
        else:
            for rank in _frequent(colours.track_ranks(trace)[track]):
                label = f"Rank {rank}" if rank >= 0 else NO_VALUE
                found.append((label, (rank + 1) % len(fills), "rank" if rank >= 0 else "", str(rank)))
    elif by == "argument" and groups is not None:
        numbers = colours.value_colours(groups.labels, len(fills))
        for key in _frequent(groups.keys[::step]):
            label = groups.labels[key]
            found.append((label, int(numbers[key]), f"args.{groups.argument}", label))
    known = dict.fromkeys((label, fills[number % len(fills)], field, value) for label, number, field, value in found)
    return tuple(Meaning(*entry) for entry in known)[:MOST_ENTRIES]


def _frequent(keys: np.ndarray) -> list[int]:
    values, counts = np.unique(keys, return_counts=True)
    return [int(v) for v in values[np.argsort(-counts, kind="stable")]]


def _decades(fills: list[int]) -> list[Meaning]:
    """The steps of the ramp, a label where a decade begins."""
    labels = []
    for step, fill in enumerate(fills):
        decade, rest = divmod(step, colours.STEPS_A_DECADE)
        labels.append(Meaning(_round_time(colours.SHORTEST_NS * 10**decade) if rest == 0 else "", fill))
    return labels


def _round_time(ns: int) -> str:
    return format_ns(ns, digits=1)


def title(by: ColourBy, groups: ColourGroups | None) -> str:
    """What is coloured by, as it stands before the colours."""
    return f"Colour by {groups.argument if by == 'argument' and groups is not None else by}"


class ColourLegend(TippedWidget):
    """Below the rows; there unless slices are coloured by their names."""

    def __init__(self, state: ViewState, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state, self.theme = state, theme
        self.indent = 0
        """Where the colours begin: below the canvas."""
        self._entries: tuple[Meaning, ...] = ()
        self._hovered = -1
        self.setFixedHeight(HEIGHT)
        self.setMouseTracking(True)
        self.setAccessibleName("Meaning of the colours")
        self.refresh()

    def refresh(self) -> None:
        """Other colours, another trace or theme."""
        state, trace = self.state, self.state.trace
        is_wanted = trace is not None and state.colour_by != "name"
        self._entries = ()
        if trace is not None and is_wanted:
            self._entries = meanings(trace, self.theme.palette, state.colour_by, state.colour_groups)
        self.setAccessibleDescription(", ".join(entry.label for entry in self._entries if entry.label))
        self.setVisible(is_wanted)
        self.update()

    def places(self) -> list[tuple[QRectF, Meaning]]:
        """Each colour with its label where it is painted; what finds no room is left out."""
        metrics = QFontMetricsF(self.theme.small_font)
        is_ramp = self.state.colour_by == "duration"
        left, placed = float(self.indent + 8), []
        for entry in self._entries:
            text = min(metrics.horizontalAdvance(entry.label) + 2, LABEL_MOST) if entry.label else 0.0
            width = 26.0 if is_ramp else SWATCH + 5 + text
            if left + width > self.width() - 8:
                break
            placed.append((QRectF(left, 0, width, HEIGHT), entry))
            left += width if is_ramp else width + GAP
        return placed

    @safe
    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            self.paint_legend(painter)
        finally:
            painter.end()

    def paint_legend(self, painter: QPainter) -> None:
        theme = self.theme
        painter.fillRect(self.rect(), theme.color("panel"))
        painter.setPen(theme.color("border"))
        painter.drawLine(0, 0, self.width(), 0)
        painter.setFont(theme.small_font)
        metrics = QFontMetricsF(theme.small_font)
        painter.setPen(theme.color("text_dim"))
        aligned = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        head = metrics.elidedText(title(self.state.colour_by, self.state.colour_groups), Qt.TextElideMode.ElideRight, self.indent - 20)
        painter.drawText(QRectF(10, 0, self.indent - 20, HEIGHT), aligned, head)
        is_ramp = self.state.colour_by == "duration"
        placed = self.places()
        for place, (box, entry) in enumerate(placed):
            color = QColor.fromRgb(entry.colour)
            if is_ramp:
                painter.fillRect(QRectF(box.left(), 4, box.width(), 5), color)
                if entry.label:
                    painter.drawText(QRectF(box.left(), 8, 3 * box.width(), HEIGHT - 8), aligned, entry.label)
                continue
            painter.fillRect(QRectF(box.left(), (HEIGHT - SWATCH) / 2, SWATCH, SWATCH), color)
            painter.setPen(theme.color("text" if place == self._hovered or self._is_filtered(entry) else "text_dim"))
            room = box.width() - SWATCH - 5
            text = metrics.elidedText(entry.label, Qt.TextElideMode.ElideMiddle, room)
            painter.drawText(box.adjusted(SWATCH + 5, 0, 0, 0), aligned, text)
        if not is_ramp and len(placed) < len(self._entries):
            left = placed[-1][0].right() + GAP if placed else float(self.indent + 8)
            painter.setPen(theme.color("text_dim"))
            painter.drawText(QRectF(left, 0, self.width() - left, HEIGHT), aligned, f"+{len(self._entries) - len(placed):,}")

    # -- input ------------------------------------------------------------------------------------------------------

    def _filter_of(self, entry: Meaning) -> str:
        from hlprof_gui.viewmodels.statistics import filter_of

        return filter_of(entry.field, entry.value)

    def _is_filtered(self, entry: Meaning) -> bool:
        return bool(entry.field) and bool(self.state.filter.text) and self.state.filter.text == self._filter_of(entry)

    def _place_at(self, x: float) -> int:
        return next((n for n, (box, entry) in enumerate(self.places()) if box.left() <= x <= box.right() and entry.field), -1)

    @safe
    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self._place_at(event.position().x())
        if event.button() == Qt.MouseButton.LeftButton and place >= 0:
            entry = self._entries[place]
            text = "" if self._is_filtered(entry) else self._filter_of(entry)
            self.state.set_filter(replace(self.state.filter, text=text))
            self.update()

    @safe
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = self._place_at(event.position().x())
        if place != self._hovered:
            self._hovered = place
            self.setCursor(Qt.CursorShape.PointingHandCursor if place >= 0 else Qt.CursorShape.ArrowCursor)
            self.update()

    @safe
    def leaveEvent(self, _event: QEvent) -> None:
        self._hovered = -1
        self.update()

    def tip_at(self, at: QPoint) -> str:
        place = self._place_at(at.x())
        if place < 0:
            return ""
        entry = self._entries[place]
        return f"{entry.label}\nClick to see {'all slices again' if self._is_filtered(entry) else 'only these slices'}"
