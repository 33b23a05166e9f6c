"""The legend below the rows: what colours mean, in the colours that the slices have; a click filters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from hlprof_core.progress import Progress
from hlprof_gui.background import colour_groups
from hlprof_gui.state.view_state import ColourBy
from hlprof_gui.theme.palette import load_palette
from hlprof_gui.timeline.colour_legend import meanings
from tests.gui.conftest import wait_idle
from tests.small_trace import slice_named, small_trace


def pixels(image: QImage) -> np.ndarray:
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width()).copy()


@pytest.mark.parametrize("by", ["category", "engine", "rank", "duration"])
def test_colours_of_slices_and_legend_are_the_same(open_window: Any, qtbot: QtBot, by: ColourBy) -> None:
    w = open_window
    legend = w.timeline.colour_legend
    assert legend.isHidden(), "names stand on the slices"
    w.actions_by_id[f"color.by_{by}"].trigger()
    wait_idle(qtbot, w)
    assert legend.isVisible()
    maker = w.timeline.scene.maker
    drawn = {int(maker.ink.palette[number]) for number in maker.ink.index}
    told = {entry.colour for _, entry in legend.places()}
    assert drawn <= told
    picture = pixels(legend.grab().toImage())
    assert all((picture == colour).any() for colour in told)
    w.actions_by_id["color.by_name"].trigger()
    wait_idle(qtbot, w)
    assert legend.isHidden()


def test_a_click_filters_by_the_value_and_again_shows_all(open_window: Any, qtbot: QtBot) -> None:
    w, state = open_window, open_window.state
    state.set_colour_groups(state.trace, colour_groups(state.trace, "dtype", Progress()))
    legend = w.timeline.colour_legend
    places = {entry.label: box.center().toPoint() for box, entry in legend.places()}
    assert set(places) == {"bf16", "(none)"}
    qtbot.mouseClick(legend, Qt.MouseButton.LeftButton, pos=places["bf16"])
    wait_idle(qtbot, w)
    assert w.search_box.field.text() == "args.dtype==bf16"
    wanted = {slice_named(state.trace, "fc1/forward"), slice_named(state.trace, "fc2/forward")}
    assert set(state.matches.tolist()) == wanted
    assert "all slices again" in legend.tip_at(places["bf16"])
    qtbot.mouseClick(legend, Qt.MouseButton.LeftButton, pos=places["bf16"])
    wait_idle(qtbot, w)
    assert w.search_box.field.text() == ""
    assert legend.tip_at(QPoint(5, 5)) == ""


def test_durations_are_a_ramp_with_a_label_for_each_decade() -> None:
    entries = meanings(small_trace(), load_palette("dark"), "duration")
    assert [entry.label for entry in entries if entry.label] == [
        "100 ns", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s",
    ]  # fmt: skip
    assert not any(entry.field for entry in entries)
