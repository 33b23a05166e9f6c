"""The timeline as a widget: what is drawn, what the mouse does, both back ends, pictures in files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent, QImage, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QToolTip
from pytestqt.qtbot import QtBot

from hlprof_core.errors import UnknownName, UsageError
from hlprof_core.levels.pyramid import build_levels
from hlprof_core.trace.ranges import TimeRange
from hlprof_gui.cli_render import chosen_window, draw, parse_size
from hlprof_gui.state.groups import groups_of
from hlprof_gui.state.view_state import FilterChoice, Item, ViewState
from hlprof_gui.timeline import backend, headers
from hlprof_gui.timeline.layout import RowKind
from hlprof_gui.timeline.overview import bands
from hlprof_gui.timeline.view import TimelineView
from hlprof_gui.widgets.floating import float_over
from tests.small_trace import START_NS, slice_named, small_trace
from tests.synthetic import busy_trace

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def view(qtbot: QtBot, theme: Any) -> TimelineView:
    state = ViewState()
    view = TimelineView(state, theme, backend="image")
    qtbot.addWidget(view)
    view.resize(1000, 600)
    view.show()
    qtbot.waitExposed(view)
    trace = small_trace()
    state.open(trace, build_levels(trace))
    QApplication.processEvents()
    return view


def middle(view: TimelineView, slice_id: int) -> QPoint:
    box = view.scene.slice_box(slice_id)
    assert box is not None
    return QPoint(round((box[0] + box[2]) / 2), round((box[1] + box[3]) / 2))


def pixels(image: QImage) -> np.ndarray:
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)[..., :3].astype(int)


def test_a_slice_is_drawn_in_its_colour_where_the_pointer_finds_it(view: TimelineView) -> None:
    relu = slice_named(view.state.trace, "relu")
    at = middle(view, relu)
    assert view.scene.item_at(at.x(), at.y()) == Item("slice", relu)
    maker = view.scene.maker
    assert maker is not None
    fill = int(maker.ink.palette[maker.ink.index[relu]])
    box = view.scene.slice_box(relu)
    assert box is not None
    picture = view.scene.picture()
    assert picture is not None
    assert int(picture[int(box[1]) + 1, int(box[2]) - 3]) == fill
    assert int(picture[int(box[1]) + 1, int(box[2]) + 3]) != fill


def test_click_hover_and_double_click(view: TimelineView) -> None:
    state, relu = view.state, slice_named(view.state.trace, "relu")
    QTest.mouseMove(view.canvas, middle(view, relu))
    QTest.mouseClick(view.canvas, LEFT, pos=middle(view, relu))
    assert state.selection == Item("slice", relu)
    QTest.mouseDClick(view.canvas, LEFT, pos=middle(view, relu))
    assert state.window.length_ns < 1000


def test_a_measure_between_two_slices_is_exact(view: TimelineView) -> None:
    state = view.state
    state.set_tool("timing")
    first, second = slice_named(state.trace, "fc1/forward"), slice_named(state.trace, "fc2/forward")
    a, b = view.scene.slice_box(first), view.scene.slice_box(second)
    assert a is not None
    assert b is not None
    start, end = QPoint(round(a[0]) + 3, round(a[1]) + 8), QPoint(round(b[2]) - 3, round(b[1]) + 8)
    QTest.mousePress(view.canvas, LEFT, pos=start)
    QTest.mouseMove(view.canvas, QPoint(400, 30))
    QTest.mouseMove(view.canvas, end)
    assert view.interaction.snap is not None
    view.canvas.repaint()
    QTest.mouseRelease(view.canvas, LEFT, pos=end)
    assert [m.length_ns for m in state.measures] == [800]
    view.canvas.repaint()


def test_wheel_and_ruler(view: TimelineView) -> None:
    state, at = view.state, QPointF(300, 100)
    fixed = view.scene.time_at(300)
    nothing, upright = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    phase = Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(at, view.canvas.mapToGlobal(at), QPoint(), QPoint(0, 120), nothing, upright, phase, False)
    QApplication.sendEvent(view.canvas, event)
    assert state.window.length_ns < state.bounds.length_ns
    assert abs(view.scene.time_at(300) - fixed) <= state.window.length_ns / view.scene.width + 1
    QTest.mousePress(view.ruler, LEFT, pos=QPoint(200, 10))
    QTest.mouseMove(view.ruler, QPoint(300, 10))
    QTest.mouseMove(view.ruler, QPoint(400, 10))
    QTest.mouseRelease(view.ruler, LEFT, pos=QPoint(400, 10))
    assert state.range is not None
    assert abs(view.scene.x_of(state.range.start_ns) - 200) < 2
    assert abs(view.scene.x_of(state.range.end_ns) - 400) < 2


def test_a_tip_beside_the_pointer_tells_what_is_there(view: TimelineView, qtbot: QtBot) -> None:
    relu = slice_named(view.state.trace, "relu")
    at = middle(view, relu)
    over, none = QPointF(view.canvas.mapToGlobal(at)), Qt.MouseButton.NoButton

    def asked() -> bool:  # not moved by way of the screen, which tells of it when it likes, or not where the pointer was there before
        QApplication.sendEvent(
            view.canvas, QMouseEvent(QEvent.Type.MouseMove, QPointF(at), over, none, none, Qt.KeyboardModifier.NoModifier)
        )
        QApplication.sendEvent(view.canvas, QHelpEvent(QEvent.Type.ToolTip, at, over.toPoint()))
        return QToolTip.isVisible()

    qtbot.waitUntil(asked)
    assert QToolTip.text() == "relu\n150 ns from 100 ns\nTPC 0"
    QTest.mousePress(view.canvas, LEFT, pos=at)
    assert view.canvas.tip_at(at) == "", "not while something is dragged"
    QTest.mouseRelease(view.canvas, LEFT, pos=at)
    QToolTip.hideText()


def test_held_keys_zoom_and_stop(view: TimelineView, qtbot: QtBot) -> None:
    length = view.state.window.length_ns
    QTest.keyPress(view.canvas, Qt.Key.Key_W)
    qtbot.waitUntil(lambda: view.state.window.length_ns < length * 0.9, timeout=10_000)
    QTest.keyRelease(view.canvas, Qt.Key.Key_W)
    qtbot.waitUntil(lambda: not view._keys.isActive(), timeout=10_000)


def test_a_click_on_a_group_folds_it_and_a_summary_appears(view: TimelineView) -> None:
    layout = view.scene.layout
    assert layout is not None
    rows = len(layout)
    QTest.mouseClick(view.headers, LEFT, pos=QPoint(40, 10))
    assert view.state.collapsed == frozenset({0})
    layout = view.scene.layout
    assert layout is not None
    assert len(layout) == rows - 2
    frame = view.scene.frame()
    assert frame is not None
    assert frame.strip_of(0) == 0
    assert (frame.strip_columns(0).count > 0).any()
    assert view.headers.tip_at(QPoint(5, 10)) == "MME   pid mme"


def test_names_of_tracks_select_them(view: TimelineView) -> None:
    QTest.mouseClick(view.headers, LEFT, pos=QPoint(40, 35))
    assert view.state.selection == Item("track", 0)
    QTest.mousePress(view.headers, LEFT, pos=QPoint(view.headers.width() - 2, 35))
    QTest.mouseMove(view.headers, QPoint(300, 35))
    QTest.mouseRelease(view.headers, LEFT, pos=QPoint(300, 35))
    assert view.headers.width() == 300
    assert view.corner.width() == 300


def test_the_overview_moves_and_resizes_the_window(view: TimelineView) -> None:
    state, strip = view.state, view.overview
    state.set_window(TimeRange(START_NS + 200, START_NS + 400))
    left, right = strip.frame_extent()
    x = round((left + right) / 2)
    QTest.mousePress(strip, LEFT, pos=QPoint(x, 20))
    QTest.mouseMove(strip, QPoint(x + 100, 20))
    QTest.mouseRelease(strip, LEFT, pos=QPoint(x + 100, 20))
    assert state.window.length_ns == 200
    assert state.window.start_ns > START_NS + 250
    left, right = strip.frame_extent()
    QTest.mousePress(strip, LEFT, pos=QPoint(round(right), 20))
    QTest.mouseMove(strip, QPoint(round(right) + 50, 20))
    QTest.mouseRelease(strip, LEFT, pos=QPoint(round(right) + 50, 20))
    assert state.window.length_ns > 220
    QTest.mouseDClick(strip, LEFT, pos=QPoint(5, 20))
    assert state.window == state.bounds
    assert [name for name, _ in bands(groups_of(state.trace))] == ["MME", "TPC", "Host"]  # type: ignore[arg-type]


def test_search_hits_stay_bright_and_the_rest_is_dimmed(view: TimelineView) -> None:
    trace, main = view.state.trace, slice_named(view.state.trace, "main")
    relu = slice_named(trace, "relu")

    def colour(slice_id: int) -> int:
        box, picture = view.scene.slice_box(slice_id), view.scene.picture()
        assert box is not None
        assert picture is not None
        return int(picture[int(box[1]) + 1, int(box[2]) - 3])

    before = colour(relu), colour(main)
    view.state.set_matches(np.array([relu]), 0)
    assert colour(relu) == before[0]
    assert colour(main) != before[1]
    view.canvas.repaint()
    view.state.set_matches(np.empty(0, np.int64))
    assert (colour(relu), colour(main)) == before


def test_counters_and_instants_are_found(view: TimelineView) -> None:
    layout, trace = view.scene.layout, view.state.trace
    assert layout is not None
    assert trace is not None
    kinds = layout.kind.tolist()
    counter, instants = kinds.index(3), kinds.index(2)
    y = float(layout.y[counter]) + 10
    assert view.scene.item_at(view.scene.x_of(START_NS + 150), y) == Item("counter", 0)
    y = float(layout.y[instants]) + 5
    assert view.scene.item_at(view.scene.x_of(int(trace.instants.time_ns[0])), y) == Item("instant", 0)
    assert view.scene.item_at(2, y) is None


def test_reveal_scrolls_to_the_row(qtbot: QtBot, theme: Any) -> None:
    state = ViewState()
    view = TimelineView(state, theme, backend="image")
    qtbot.addWidget(view)
    view.resize(800, 400)
    view.show()
    trace = busy_trace(20_000)
    state.open(trace, build_levels(trace))
    last = len(trace.slices) - 1
    state.select(Item("slice", last), reveal=True)
    box = view.scene.slice_box(last)
    assert box is not None
    assert box[1] >= 0
    assert box[3] <= view.scene.height
    assert view.scroll_bar.value() == round(view.scene.top) > 0
    view.scroll_bar.setValue(0)
    assert view.scene.top == 0


def test_a_fold_tells_count_longest_and_share(qtbot: QtBot, theme: Any) -> None:
    state = ViewState()
    view = TimelineView(state, theme, backend="image")
    qtbot.addWidget(view)
    view.resize(800, 400)
    trace = busy_trace(200_000)
    state.open(trace, build_levels(trace))
    view.show()
    QApplication.processEvents()
    fold = view.scene.fold_at(100, 36)
    assert fold is not None
    assert fold.count > 1
    assert 0 < fold.busy_share <= 1
    item = view.scene.item_at(100, 36)
    assert item is not None
    assert fold.longest_ns == int(trace.slices.dur_ns[item.id])


def test_both_back_ends_show_the_same_picture(qtbot: QtBot, theme: Any) -> None:
    import moderngl

    from hlprof_gui.timeline.render.opengl import OpenGLRenderer

    try:
        context = moderngl.create_context(standalone=True, require=330, backend="egl")  # type: ignore[call-arg]
    except Exception as error:  # noqa: BLE001 - any way in which EGL can be missing
        pytest.skip(f"no OpenGL 3.3 through EGL: {error}")
    state = ViewState()
    view = TimelineView(state, theme, backend="image")
    qtbot.addWidget(view)
    view.resize(900, 500)
    view.show()
    trace = busy_trace(60_000)
    state.open(trace, build_levels(trace))
    QApplication.processEvents()
    with context:
        renderer = OpenGLRenderer(context)
        span = trace.span
        for window in (state.bounds, TimeRange(span.start_ns + 1_000_000, span.start_ns + 1_300_000)):
            state.set_window(window)
            wanted, frame, atlas = view.scene.picture(all_labels=True), view.scene.frame(), view.scene.atlas
            assert wanted is not None
            assert frame is not None
            assert atlas is not None
            size = frame.view.width, frame.view.height
            target = context.framebuffer([context.texture(size, 4)])
            target.use()
            renderer.draw(frame, view.scene.quads, atlas.cover, atlas.height, (1, atlas.generation))
            got = np.frombuffer(target.read(components=4), np.uint8).reshape(size[1], size[0], 4)[::-1, :, :3]
            expected = wanted.view(np.uint8).reshape(size[1], size[0], 4)[:, :, 2::-1]
            assert np.abs(got.astype(int) - expected.astype(int)).max() <= 3
    context.release()


@pytest.mark.xcb
@pytest.mark.software_opengl
def test_the_opengl_canvas_paints_and_takes_input(qtbot: QtBot, theme: Any) -> None:
    if QGuiApplication.platformName() != "xcb" or not backend.probe_opengl().renderer:
        pytest.skip("no OpenGL window system here")
    state = ViewState()
    view = TimelineView(state, theme, backend="opengl")
    qtbot.addWidget(view)
    view.resize(900, 500)
    view.show()
    qtbot.waitExposed(view)
    trace = small_trace()
    state.open(trace, build_levels(trace))
    relu = slice_named(trace, "relu")
    place = view.canvas.mapTo(view, middle(view, relu))
    QTest.mouseClick(view.windowHandle(), LEFT, pos=place)  # as the system brings it, past the window that OpenGL draws in
    assert state.selection == Item("slice", relu)
    qtbot.waitUntil(lambda: view.canvas.frames > 1)
    image = pixels(view.canvas.surface.grabFramebuffer())  # type: ignore[attr-defined]
    picture = view.scene.picture(all_labels=True)
    assert picture is not None
    expected = picture.view(np.uint8).reshape(*picture.shape, 4)[..., :3].astype(int)
    assert (np.abs(image - expected).max(axis=2) > 3).mean() < 0.02, "only the overlay may differ"

    card = QLabel(view)
    card.setStyleSheet("background: #ff0000")
    card.setGeometry(view.canvas.x() + 20, view.canvas.y() + 20, 60, 40)
    float_over(card)
    at = card.mapToGlobal(QPoint(30, 20))

    def is_on_top() -> bool:
        return QGuiApplication.primaryScreen().grabWindow(0, at.x(), at.y(), 1, 1).toImage().pixelColor(0, 0).name() == "#ff0000"

    qtbot.waitUntil(is_on_top)


def test_the_back_end_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(backend.VARIABLE, raising=False)
    assert backend.choose_backend("image") == "image"
    assert not backend.OpenGLFacts("llvmpipe (LLVM 15.0.6, 256 bits)", "4.5").is_hardware
    assert backend.OpenGLFacts("NVIDIA RTX A2000/PCIe/SSE2", "4.6").is_hardware
    empty = tmp_path / "dev"
    (empty / "dri").mkdir(parents=True)
    assert backend.has_graphics_device(empty) == (not sys.platform.startswith("linux"))
    (empty / "dri" / "renderD128").touch()
    assert backend.has_graphics_device(empty)
    monkeypatch.setenv(backend.VARIABLE, "opengl")
    assert backend.choose_backend("image") == "opengl"
    monkeypatch.setenv(backend.VARIABLE, "opengll")
    with pytest.raises(UnknownName, match="opengl"):
        backend.choose_backend()


def test_pictures_without_a_display(qapp: Any, tmp_path: Path) -> None:
    trace = small_trace()
    draw(trace, tmp_path / "a.png", (800, 400), None, "dark")
    draw(trace, tmp_path / "b.png", (800, 400), None, "light")
    draw(trace, tmp_path / "c.svg", (800, 400), TimeRange(START_NS, START_NS + 500), "light")
    dark, light = pixels(QImage(str(tmp_path / "a.png"))), pixels(QImage(str(tmp_path / "b.png")))
    assert dark.shape == light.shape == (400, 800, 3)
    assert dark.mean() < 80 < 180 < light.mean()
    svg = (tmp_path / "c.svg").read_text(encoding="utf-8")
    assert "fc1/forward" in svg
    assert "MainThread" in svg
    assert not list(tmp_path.glob(".*"))


def test_what_render_refuses() -> None:
    assert parse_size("1600x900") == (1600, 900)
    for text in ("1600", "0x5", "99999x100", "axb"):
        with pytest.raises(UsageError, match="size"):
            parse_size(text)
    trace = small_trace()
    assert chosen_window(trace, None, None) is None
    assert chosen_window(trace, START_NS + 5, None) == TimeRange(START_NS + 5, trace.span.end_ns)
    with pytest.raises(UsageError, match="nothing to show"):
        chosen_window(trace, 0, 10)


def test_bench_prints_its_figures(tmp_path: Path) -> None:
    import json

    from hlprof_core.io.writers import write_trace

    path = tmp_path / "t.json"
    write_trace(small_trace(), path)
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")} | {"QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-m", "hlprof_core.cli.main", "bench", "open", str(path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True, timeout=60)
    figures = json.loads(done.stdout)
    assert figures["slices"] == len(small_trace().slices)
    assert {"bytes", "events", "read_s", "first_frame_s", "frame_ms", "peak_rss_bytes", "resident_bytes_per_slice"} <= set(figures)
    assert 0 < figures["frame_ms"]["median"] <= figures["frame_ms"]["p99"] < 1000


def test_titles_and_numbers_of_headers() -> None:
    assert [headers.compact(v) for v in (0, 12.5, 1500, 2.5e6, -3e9)] == ["0", "12.5", "1.5 k", "2.5 M", "-3 G"]


def test_what_does_not_match_is_hidden_and_cannot_be_hit(view: TimelineView) -> None:
    state, scene = view.state, view.scene
    trace = state.trace
    assert trace is not None
    relu, other = slice_named(trace, "relu", 0), slice_named(trace, "relu", 1)

    def item(slice_id: int) -> Item | None:
        box = scene.slice_box(slice_id)
        return scene.item_at((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) if box is not None else None

    assert (item(relu), item(other)) == (Item("slice", relu), Item("slice", other))
    state.set_filter(FilterChoice("relu", "hide"))
    state.set_matches(np.array([relu]), is_answer=True)
    assert (item(relu), item(other)) == (Item("slice", relu), None)
    box = scene.slice_box(other)
    assert box is not None
    assert scene.edge_near(box[0] + 1, (box[1] + box[3]) / 2, 5) is None
    view.canvas.repaint()
    state.set_matches(np.empty(0, np.int64), is_answer=True)
    assert (item(relu), item(other)) == (None, None), "nothing passes: nothing is drawn"
    state.set_highlight(np.array([other]))
    assert item(relu) == Item("slice", relu), "a highlight dims, whatever the filter does"
    state.set_highlight(None)
    state.set_filter(FilterChoice("relu", "list"))
    assert item(other) == Item("slice", other)


def test_rows_without_a_match_vanish_while_the_rest_is_hidden(view: TimelineView) -> None:
    state, scene = view.state, view.scene
    trace = state.trace
    assert trace is not None
    everything = scene.layout
    assert everything is not None
    state.set_matches(np.array([slice_named(trace, "relu")]), is_answer=True)
    assert scene.layout is everything
    state.set_filter(FilterChoice("relu", "hide"))
    layout = scene.layout
    assert layout is not None
    with_slices = [int(t) for t, kind in zip(layout.track, layout.kind, strict=True) if kind == RowKind.LANE]
    assert {trace.tracks[t].name for t in with_slices} == {"TPC 0"}
    assert RowKind.COUNTER in layout.kind.tolist(), "counters have no slices to miss"
    view.canvas.repaint()
    scene.reveal(Item("slice", slice_named(trace, "fc1/forward")))
    state.set_matches(np.empty(0, np.int64), is_answer=True)
    view.canvas.repaint()
    state.set_filter(FilterChoice("relu", "dim"))
    assert scene.layout is not None
    assert len(scene.layout) == len(everything)


def test_a_click_beside_the_ruler_counts_from_elsewhere(view: TimelineView) -> None:
    state = view.state
    state.select(Item("slice", slice_named(state.trace, "sync")))
    seen = []
    for _ in range(3):
        seen.append(state.time_scale)
        QTest.mouseClick(view.corner, LEFT, pos=QPoint(20, 10))
        view.corner.repaint()
        view.ruler.repaint()
    assert seen == ["start", "selection", "file"], "the time of day is not known"
    assert state.time_scale == "start"
    before = pixels(view.picture())
    state.set_time_scale("selection")
    assert (pixels(view.picture()) != before).any(), "the grid follows the ruler"
