"""Rows grouped by engine and by rank: commands, headers, folding, the overview, undo, the session, very many rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from pytestqt.qtbot import QtBot

from hlprof_core.trace.tracks import Process, Track
from hlprof_gui import background
from hlprof_gui.commands.catalog import find_commands
from hlprof_gui.state.groups import groups_of
from hlprof_gui.state.view_state import Item
from hlprof_gui.timeline.headers import group_note
from hlprof_gui.timeline.layout import RowKind, build_layout
from hlprof_gui.timeline.overview import bands
from tests.gui.conftest import wait_idle
from tests.rank_trace import write_ranks
from tests.synthetic import lanes_trace


@pytest.fixture
def ranks(window: Any, qtbot: QtBot, tmp_path: Path) -> Any:
    """A window on a trace of several ranks."""
    window.open_path(write_ranks(tmp_path))
    wait_idle(qtbot, window)
    return window


def heads(window: Any) -> list[str]:
    """Titles of the groups from top to bottom."""
    layout = window.timeline.scene.layout
    return [layout.groups.title(g) for g in layout.group[layout.heads].tolist()]


def run(window: Any, command: str) -> None:
    window.actions_by_id[command].trigger()


def run_about(window: Any, command: str, group: int, track: int = -1) -> None:
    """As from the menu of a row."""
    window.state.row_target = group, track
    window.actions_by_id.refresh()
    assert window.actions_by_id[command].isEnabled()
    run(window, command)
    window.state.row_target = None


def test_the_user_chooses_by_what_and_can_undo_it(ranks: Any) -> None:
    assert ranks.actions_by_id["row.group_by_process"].isChecked()
    run(ranks, "row.group_by_engine")
    assert heads(ranks) == ["MME", "TPC", "Host", "No engine"]
    assert [ranks.actions_by_id[f"row.group_by_{by}"].isChecked() for by in ("process", "engine", "rank")] == [False, True, False]
    run(ranks, "row.group_by_rank")
    assert heads(ranks) == ["Rank 0", "Rank 1", "Rank 2"]
    run(ranks, "edit.undo")
    assert "Rank 0" not in heads(ranks)
    run(ranks, "edit.redo")
    assert heads(ranks) == ["Rank 0", "Rank 1", "Rank 2"]
    run(ranks, "row.reset")
    assert heads(ranks)[:3] == ["MME", "TPC", "Host"]
    assert {c.id for c in find_commands(ranks.commands, "group by")} >= {f"row.group_by_{by}" for by in ("process", "engine", "rank")}


def test_without_ranks_there_is_nothing_to_group_by(open_window: Any) -> None:
    assert open_window.actions_by_id["row.group_by_engine"].isEnabled()
    assert not open_window.actions_by_id["row.group_by_rank"].isEnabled()


def test_folding_hiding_and_moving_are_about_the_groups_on_the_screen(ranks: Any, qtbot: QtBot) -> None:
    state, view = ranks.state, ranks.timeline
    run(ranks, "track.fold_all")
    folded_processes = state.collapsed
    run(ranks, "row.group_by_engine")
    layout = view.scene.layout
    tpc = int(groups_of(state.trace, "engine").owner[1])
    assert layout.filled[tpc] == 6
    head = int(layout.group_row[tpc])
    qtbot.mouseClick(view.headers, Qt.MouseButton.LeftButton, pos=QPoint(40, int(layout.y[head]) + 8))
    assert state.collapsed == folded_processes | {tpc}
    assert view.scene.layout.kind[head + 1] == RowKind.GROUP
    run(ranks, "track.fold_all")
    assert len(view.scene.layout) == 4
    run(ranks, "track.unfold_all")
    assert state.collapsed == folded_processes
    run_about(ranks, "row.move_up", tpc)
    assert heads(ranks) == ["TPC", "MME", "Host", "No engine"]
    run_about(ranks, "row.hide", tpc)
    assert state.arrangement.hidden == set(groups_of(state.trace, "engine").tracks(tpc).tolist())
    assert view.scene.hidden_of(tpc) == 6
    run(ranks, "row.group_by_process")
    assert state.collapsed == folded_processes


def test_headers_tips_and_the_overview_name_the_groups(ranks: Any) -> None:
    view = ranks.timeline
    assert [name for name, _ in view.overview.bands][:2] == ["MME", "TPC"]
    run(ranks, "row.group_by_rank")
    assert [name for name, _ in view.overview.bands] == ["Rank 0", "Rank 1", "Rank 2"]
    assert view.headers.tip_at(QPoint(40, 5)) == "Rank 0   5 rows"
    run(ranks, "row.group_by_engine")
    layout = view.scene.layout
    row = int(layout.track_first[6])
    assert view.headers.tip_at(QPoint(40, int(layout.y[row]) + 4)).splitlines() == [
        "TPC 0   thread 0", "TPC (rank1.json)   pid tpc", "TPC   6 rows",
    ]  # fmt: skip


def test_the_selected_row_stays_in_sight(ranks: Any) -> None:
    state, scene = ranks.state, ranks.timeline.scene
    ranks.timeline.setFixedHeight(220)
    track = 8
    state.select(Item("track", track))
    for by in ("engine", "rank", "process"):
        run(ranks, f"row.group_by_{by}")
        top, bottom = scene.layout.track_extent(track)
        assert scene.top <= top
        assert bottom <= scene.top + scene.height


def test_the_session_brings_the_groups_back(ranks: Any, qtbot: QtBot) -> None:
    run(ranks, "row.group_by_engine")
    run(ranks, "track.fold_all")
    folded = ranks.state.collapsed
    run(ranks, "file.save_session")
    wait_idle(qtbot, ranks)
    path = ranks.trace_path
    run(ranks, "file.close")
    ranks.open_path(path)
    wait_idle(qtbot, ranks)
    assert ranks.state.arrangement.group_by == "engine"
    assert ranks.state.collapsed == folded
    assert heads(ranks) == ["MME", "TPC", "Host", "No engine"]


def test_very_many_rows_are_grouped_without_a_halt(window: Any, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count, processes = 100_000, 400
    each = count // processes
    engines = ("DMA", "MME", "TPC", "HOST")
    tracks = [
        Track(i, i // each, "thread", f"t{i % each}", str(i // each), str(i), engines[i % 4], i // each % 16) for i in range(count)
    ]
    one = np.ones(1, np.int64)
    made = [Process(p, str(p), f"process {p}") for p in range(processes)]
    trace = lanes_trace([(i, 0, one * i, one * 50, one) for i in range(count)], tracks, made, ["", "work"])
    monkeypatch.setattr(background, "open_trace", lambda _path, _progress: trace)
    file = tmp_path / "many.json"
    file.write_bytes(b"[]")
    window.open_path(file)
    wait_idle(qtbot, window)
    state = window.state

    def do(action: Callable[..., object], *arguments: object) -> None:
        """As an event of the loop, whose processor time is watched."""
        QTimer.singleShot(0, window, lambda: action(window, *arguments))
        qtbot.wait(40)

    for by, groups in (("engine", 4), ("rank", 16), ("process", processes)):
        do(run, f"row.group_by_{by}")
        assert len(window.timeline.scene.layout.heads) == groups
        for command in ("track.fold_all", "track.unfold_all"):
            do(run, command)
        group = int(groups_of(trace, state.arrangement.group_by).owner[count // 2])
        for command, track in (("row.move_down", count // 2), ("row.move_up", -1), ("row.hide", -1), ("row.show_hidden", -1)):
            do(run_about, command, group, track)


def test_groups_of_one_title_are_told_apart_in_headers_and_overview() -> None:
    labels = ((), (), ("CPU",), ("GPU 0",), ("x",))
    names = ("worker", "worker", "python", "python", "alone")
    processes = [Process(place, str(place), name, own) for place, (name, own) in enumerate(zip(names, labels, strict=True))]
    tracks = [Track(place, place, "thread", "row", str(place), "1") for place in range(5)]
    one = (np.array([0]), np.array([5]), np.array([0]))
    trace = lanes_trace([(track, 0, *one) for track in range(5)], tracks, processes, ["n"])
    layout = build_layout(trace)
    assert [name for name, _ in bands(layout.groups)] == ["pid 0 · worker", "pid 1 · worker", "CPU · python", "GPU 0 · python", "alone"]
    assert [group_note(trace, layout, group) for group in range(5)] == ["pid 0", "pid 1", "CPU", "GPU 0", "x"]
