"""What pointer and keys mean on the timeline: tools, drags, snapping, held keys. Acts on the state; knows no Qt.

Coordinates are logical pixels of the canvas; the ``Surface`` says what lies there.
"""

from __future__ import annotations

from typing import Literal, Protocol

from msgspec import Struct

from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.state.view_state import MIN_WINDOW_NS, Bundle, Edge, Fold, Item, Measure, ViewState

Button = Literal["left", "middle", "right"]
Cursor = Literal["arrow", "open_hand", "closed_hand", "cross", "beam", "zoom"]
Gesture = Literal["none", "press", "pan", "zoom", "range", "area", "measure", "range_start", "range_end"]

DRAG_SLOP = 4
"""Pixels the pointer may move before a click becomes a drag."""
SNAP = 7
"""Pixels within which a slice border attracts the measuring tool."""
GRIP = 4
"""Pixels around a border of the chosen time range where it can be dragged."""
CLOSER = 0.8
"""A window at most this part of the present one looks closer."""
WHEEL_ZOOM = 1.22
"""Factor of one wheel step."""
PAN_STEP, PAN_SPEED = 0.12, 1.1
"""Share of the window for one wheel step, and for each second a key is held."""
ZOOM_SPEED = 5.0
"""Factor for each second a key is held."""


class Surface(Protocol):
    """What the canvas shows where."""

    @property
    def width(self) -> int: ...

    def item_at(self, x: float, y: float) -> Item | None:
        """What is drawn there."""
        ...

    def fold_at(self, x: float, y: float) -> Fold | None:
        """What the pixel stands for when it holds more than one slice."""
        ...

    def bundle_at(self, x: float, y: float) -> Bundle | None:
        """The arrow drawn there, or what several drawn as one stand for."""
        ...

    def edge_near(self, x: float, y: float, reach: float) -> Edge | None:
        """The slice border nearest to that point within ``reach`` pixels, on the row at ``y``."""
        ...

    def tracks_between(self, top: float, bottom: float) -> tuple[int, ...]:
        """The tracks that have a row between two heights."""
        ...

    def scroll_by(self, pixels: float) -> None:
        """Move the rows up by so many pixels."""
        ...


class Box(Struct, frozen=True):
    """The time that a zoom drag covers."""

    first_ns: int
    second_ns: int


class Interaction:
    """The state machine between input events and ``ViewState``; ``box``, ``snap`` and ``draft`` are what is being drawn up."""

    def __init__(self, state: ViewState, surface: Surface) -> None:
        self.state, self.surface = state, surface
        self.gesture: Gesture = "none"
        self.box: Box | None = None
        self.snap: Edge | None = None
        """The border that a measure would start or end at."""
        self.draft: Measure | None = None
        """The measure being drawn."""
        self.pressed_at: tuple[float, float] = (0.0, 0.0)
        self._button: Button = "left"
        self._last: tuple[float, float] = (0.0, 0.0)
        self._window = self._panned = state.window
        """Where the pan under way took hold of the view, and where it left it last."""
        self._held_x = 0.0
        self._scrolled = 0.0
        self._before = (state.window, state.range, state.range_tracks)
        """What a gesture that is given up brings back."""
        self._anchor_ns = 0
        self._item: Item | None = None
        self._bundle: Bundle | None = None
        self._over: tuple[float, float] | None = None
        """Where the pointer rests on the canvas."""
        self._is_free = False
        """Whether nothing snaps, since Shift is down."""
        self._is_dragged = False
        self._held: set[str] = set()
        self._speed = 0.0
        self._owed_zoom, self._owed_ns = 1.0, 0.0
        """What was too little for a window that is whole nanoseconds long; it comes with what follows."""
        state.trace_changed.connect(self._forget)
        state.tool_changed.connect(self.follow)

    # -- geometry ---------------------------------------------------------------------------------------------------

    def time_at(self, x: float) -> int:
        window = self.state.window
        return window.start_ns + int(x * window.length_ns / max(self.surface.width, 1))

    def x_of(self, time_ns: int) -> float:
        window = self.state.window
        return (time_ns - window.start_ns) * self.surface.width / window.length_ns

    @property
    def ns_per_pixel(self) -> float:
        return self.state.window.length_ns / max(self.surface.width, 1)

    # -- pointer ----------------------------------------------------------------------------------------------------

    def press(self, x: float, y: float, button: Button, *, shift: bool = False, control: bool = False, on_ruler: bool = False) -> None:
        """A button goes down on the canvas or on the ruler above it; with ``control`` a drag chooses time on the rows it covers.

        A second button while the first one is held does nothing.
        """
        if self.gesture != "none" and button != self._button:
            return
        self._button = button
        self.pressed_at = self._last = (x, y)
        self._window = self._panned = self.state.window
        self._held_x, self._scrolled = x, 0.0
        self._before = (self.state.window, self.state.range, self.state.range_tracks)
        self._anchor_ns = self.time_at(x)
        self._item = None if on_ruler else self.surface.item_at(x, y)
        self._bundle = None if on_ruler else self.surface.bundle_at(x, y)
        tool = self.state.tool
        if button == "middle" or (button == "left" and tool == "pan" and not on_ruler):
            self.gesture = "pan"
        elif button != "left":
            self.gesture = "none"
        elif tool == "timing" and not on_ruler:
            self.gesture = "measure"
            start = self._edge(x, y, free=shift)
            self.draft = Measure(start, start)
        elif control and tool == "select" and not on_ruler:
            self.gesture = "area"
        elif tool == "zoom":
            self.gesture = "zoom"
            self.box = Box(self._anchor_ns, self._anchor_ns)
        elif (grip := self._range_grip(x, y, on_ruler=on_ruler)) is not None:
            self.gesture = grip
            self._is_dragged = False
        else:
            self.gesture = "press"
            if on_ruler:
                self._item = None
        # A menu that a right button opens may swallow its release.
        self.state.drag = object() if self.gesture != "none" else None

    def move(self, x: float, y: float, *, shift: bool = False, on_ruler: bool = False) -> None:
        """The pointer moved, with or without a button."""
        state = self.state
        before, self._last = self._last, (x, y)
        self._is_free = shift
        now = self.time_at(x)
        if self.gesture == "press" and abs(x - self.pressed_at[0]) > DRAG_SLOP:
            self.gesture = "range"
        if self.gesture == "pan":
            self._pan(before, x, y, on_ruler=on_ruler)
            now = self.time_at(x)
        elif self.gesture == "zoom":
            self.box = Box(self._anchor_ns, now)
        elif self.gesture == "range":
            state.set_range(_ordered(self._anchor_ns, now))
        elif self.gesture == "area" and abs(x - self.pressed_at[0]) > DRAG_SLOP:
            top, bottom = sorted((self.pressed_at[1], y))
            state.set_range(_ordered(self._anchor_ns, now), self.surface.tracks_between(top, bottom))
        elif self.gesture in ("range_start", "range_end") and state.range is not None and self._pulls(x):
            keep = state.range.end_ns if self.gesture == "range_start" else state.range.start_ns
            if (self.gesture == "range_start") != (now < keep):
                self.gesture = "range_end" if self.gesture == "range_start" else "range_start"
            state.set_range(_ordered(keep, now), state.range_tracks)
        elif self.gesture == "measure" and self.draft is not None:
            self.draft = Measure(self.draft.first, self._edge(x, y, free=shift))
        self._over = None if on_ruler else (x, y)
        if on_ruler or self.gesture == "pan":
            self.snap = None
            state.set_hover(None, now)
        else:
            self._look(x, y)

    def _pan(self, before: tuple[float, float], x: float, y: float, *, on_ruler: bool) -> None:
        """The view goes with the pointer; what else moved it meanwhile, such as the wheel, stays."""
        state = self.state
        if state.window != self._panned:
            self._window, self._held_x = state.window, before[0]
        shift_ns = round((self._held_x - x) * self._window.length_ns / max(self.surface.width, 1))
        state.set_window(TimeRange(self._window.start_ns + shift_ns, self._window.end_ns + shift_ns))
        self._panned = state.window
        dy = y - before[1]
        if not on_ruler and dy:
            self._scrolled -= dy
            self.surface.scroll_by(-dy)

    def _look(self, x: float, y: float) -> None:
        """What lies under the pointer on the canvas, and what a measure would snap to there."""
        state = self.state
        is_measuring = state.tool == "timing" and self.gesture in ("none", "measure") and not self._is_free
        self.snap = self.surface.edge_near(x, y, SNAP) if is_measuring else None
        bundle = self.surface.bundle_at(x, y) if self.gesture == "none" and state.tool == "select" else None
        if bundle is not None:
            state.set_hover(Item("flow", bundle.flow), self.time_at(x), None, bundle)
        else:
            state.set_hover(self.surface.item_at(x, y), self.time_at(x), self.surface.fold_at(x, y))

    def release(self, x: float, button: Button | None = None) -> None:
        """A button goes up; the one that started the gesture ends it. None: that one."""
        if button not in (None, self._button):
            return
        state, moved = self.state, abs(x - self.pressed_at[0]) > DRAG_SLOP
        if self.gesture == "press" and self._bundle is not None:
            self.choose_bundle(self._bundle)
        elif self.gesture == "press" or (self.gesture == "area" and not moved):
            state.select(self._item)
            if self._item is None:
                state.set_range(None)
        elif self.gesture in ("range_start", "range_end") and not self._is_dragged:
            if self._item is not None:
                state.select(self._item)
        elif self.gesture == "zoom" and self.box is not None:
            if moved:
                state.set_window(_ordered(self.box.first_ns, self.box.second_ns).clip(state.bounds))
            else:
                state.zoom(1 / 2, self.time_at(x))
        elif self.gesture == "measure" and self.draft is not None:
            # From one row to another the time between two borders may be next to nothing on the screen.
            if moved or abs(self._last[1] - self.pressed_at[1]) > DRAG_SLOP:
                if self.draft.length_ns:
                    state.set_measures((*state.measures, self.draft))
            elif self._item is not None and self._item.kind == "slice":
                self._measure_slice(self._item)
        self.drop()

    def choose_bundle(self, bundle: Bundle) -> None:
        """Select an arrow; look closer at several, as long as that takes them apart."""
        if bundle.count == 1 or not self.zoom_to_bundle(bundle):
            self.state.select(Item("flow", bundle.flow))

    def zoom_to_bundle(self, bundle: Bundle) -> bool:
        """Fill the window with the arrows of a bundle; False when that shows little less than now."""
        margin = max(bundle.span.length_ns // 8, 2 * MIN_WINDOW_NS)
        wanted = TimeRange(bundle.span.start_ns - margin, bundle.span.end_ns + margin)
        if wanted.length_ns > CLOSER * self.state.window.length_ns:
            return False
        self.state.set_window(wanted)
        return True

    def cancel(self) -> bool:
        """Give up the gesture under way, which leaves everything as it was before; False when there was none."""
        gesture, self.gesture = self.gesture, "none"
        self.box = self.draft = None
        window, chosen, tracks = self._before
        if gesture == "pan":
            if self._scrolled:
                self.surface.scroll_by(-self._scrolled)
            self.state.set_window(window)
        elif gesture in ("range", "area", "range_start", "range_end"):
            self.state.set_range(chosen, tracks)
        self.state.drag = None
        return gesture != "none"

    def drop(self) -> None:
        """The button went up: the gesture ends where it is."""
        self.gesture, self.box, self.draft = "none", None, None
        self.state.drag = None

    def _forget(self) -> None:
        """What was pressed, measured from and pointed at belongs to another trace."""
        self.drop()
        self.snap = self._item = self._bundle = None

    def double_click(self, x: float, y: float) -> None:
        """Focus what is there."""
        bundle = self.surface.bundle_at(x, y) if self.state.tool == "select" else None
        item = Item("flow", bundle.flow) if bundle is not None else self.surface.item_at(x, y)
        self.gesture = "none"
        if item is not None:
            self.state.select(item)
            self.state.focus(item)

    def leave(self) -> None:
        """The pointer left the canvas."""
        self.snap = self._over = None
        self.state.set_hover(None, None)

    def follow(self) -> None:
        """The view moved under a pointer that rests: it is over something else now."""
        if self._over is not None and self.gesture == "none":
            self._look(*self._over)

    def wheel(self, x: float, steps_x: float, steps_y: float, *, shift: bool = False) -> None:
        """Wheel steps (1.0 = one notch away from the user): zoom at the pointer, or pan with shift or a horizontal wheel."""
        window = self.state.window
        if shift and steps_y and not steps_x:
            steps_x, steps_y = steps_y, 0.0
        if steps_x:
            self._move_by(-steps_x * PAN_STEP * window.length_ns)
        if steps_y:
            self._zoom_by(WHEEL_ZOOM**-steps_y, self.time_at(x))

    def cursor(self, x: float, *, on_ruler: bool = False) -> Cursor:
        """The pointer's shape."""
        if self.gesture == "pan":
            return "closed_hand"
        tool = self.state.tool
        on_grip = tool == "select" and self._range_grip(x, self._last[1], on_ruler=on_ruler) is not None
        if on_grip or self.gesture in ("range_start", "range_end"):
            return "beam"
        if tool == "pan" and not on_ruler:
            return "open_hand"
        if tool == "timing" and not on_ruler:
            return "cross"
        return "zoom" if tool == "zoom" else "arrow"

    # -- held keys --------------------------------------------------------------------------------------------------

    def key_down(self, key: str) -> bool:
        """w, a, s or d goes down; True when it is ours and now held."""
        if key not in ("w", "a", "s", "d"):
            return False
        if not self._held:
            self._speed = 0.35
        self._held.add(key)
        return True

    def key_up(self, key: str) -> None:
        self._held.discard(key)

    def release_keys(self) -> None:
        """The canvas lost the keyboard."""
        self._held.clear()

    @property
    def is_moving(self) -> bool:
        return bool(self._held)

    def tick(self, seconds: float) -> None:
        """Time passed with keys held: pan and zoom, faster the longer."""
        if not self._held:
            return
        self._speed = min(1.0, self._speed + seconds * 1.8)
        direction = ("d" in self._held) - ("a" in self._held)
        if direction:
            self._move_by(direction * self._speed * PAN_SPEED * seconds * self.state.window.length_ns)
        closer = ("w" in self._held) - ("s" in self._held)
        if closer:
            at = self.state.cursor_ns
            inside = at is not None and self.state.window.start_ns <= at <= self.state.window.end_ns
            self._zoom_by(ZOOM_SPEED ** (-closer * self._speed * seconds), at if inside else None)

    def _move_by(self, delta_ns: float) -> None:
        """Pan; parts of a nanosecond add up."""
        self._owed_ns += delta_ns
        whole = int(self._owed_ns)
        self._owed_ns -= whole
        self.state.pan(whole)

    def _zoom_by(self, factor: float, at_ns: int | None) -> None:
        """Zoom; what is too little to make a short window longer or shorter by a nanosecond adds up."""
        state, length = self.state, self.state.window.length_ns
        self._owed_zoom *= factor
        wanted = length * self._owed_zoom
        if round(wanted) != length or not MIN_WINDOW_NS < wanted < state.bounds.length_ns:
            factor, self._owed_zoom = self._owed_zoom, 1.0
            state.zoom(factor, at_ns)

    # -- inner ------------------------------------------------------------------------------------------------------

    def _edge(self, x: float, y: float, *, free: bool) -> Edge:
        near = None if free else self.surface.edge_near(x, y, SNAP)
        return near or Edge(self.time_at(x))

    def _measure_slice(self, item: Item) -> None:
        """A click on a slice with the timing tool measures it."""
        where = self.state.item_range(item)
        if where is not None and where.length_ns:
            self.state.set_measures((*self.state.measures, Measure(Edge(where.start_ns, item), Edge(where.end_ns, item))))

    def _pulls(self, x: float) -> bool:
        """Whether a border of the chosen time follows the pointer: a click beside it selects what is there."""
        self._is_dragged = self._is_dragged or abs(x - self.pressed_at[0]) > DRAG_SLOP
        return self._is_dragged

    def _range_grip(self, x: float, y: float, *, on_ruler: bool) -> Gesture | None:
        """The border of the chosen time there; on the canvas only on rows that it is about."""
        chosen, tracks = self.state.range, self.state.range_tracks
        if chosen is None or (tracks is not None and not on_ruler and not set(tracks) & set(self.surface.tracks_between(y, y + 1))):
            return None
        if abs(self.x_of(chosen.end_ns) - x) <= GRIP:
            return "range_end"
        return "range_start" if abs(self.x_of(chosen.start_ns) - x) <= GRIP else None


def _ordered(a: int, b: int) -> TimeRange:
    return TimeRange(min(a, b), max(a, b))
