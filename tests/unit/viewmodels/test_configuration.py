"""The edited configuration: one document, its history and its file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hlprof_core.config.document import ProfConfig
from hlprof_core.errors import ConfigInvalid
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel

CHANGES = st.lists(
    st.sampled_from(
        [("session.name", "a"), ("session.name", "b"), ("merged.json", True), ("merged.json", False), ("hw.buffer_bytes", 1 << 28)]
    ),
    max_size=12,
)


@given(CHANGES)
def test_undo_takes_every_step_back_and_redo_does_it_again(changes: list[tuple[str, object]]) -> None:
    model = ConfigurationViewModel(Path("none.json"))
    seen = [model.json_text]
    for setting_id, value in changes:
        model.set(setting_id, value)
        if model.json_text != seen[-1]:
            seen.append(model.json_text)
    for text in reversed(seen[:-1]):
        model.undo()
        assert model.json_text == text
    assert not model.undo_title
    for text in seen[1:]:
        model.redo()
        assert model.json_text == text
    assert not model.redo_title


def test_typing_is_one_step() -> None:
    model = ConfigurationViewModel(Path("none.json"))
    for text in ("d", "dl", "dlrm"):
        model.set("session.name", text, typing=True)
    assert model.undo_title == "Change Session name"
    model.undo()
    assert model.value("session.name") == "default_profiling"
    assert not model.undo_title
    model.redo()
    assert model.value("session.name") == "dlrm"


def test_json_that_is_none_leaves_the_document() -> None:
    model = ConfigurationViewModel(Path("none.json"))
    model.set("session.name", "kept")
    with pytest.raises(ConfigInvalid, match="line 1"):
        model.set_json("{")
    assert model.value("session.name") == "kept"


def test_values_that_cannot_be_read_are_problems_and_are_not_saved(tmp_path: Path) -> None:
    model = ConfigurationViewModel(tmp_path / "c.json")
    model.set_json(json.dumps({"GeneralSettings": {"values": {"session": {"value": "a/b"}}}}))
    assert len(model.problems) == 1
    assert model.value("session.name") == "default_profiling"
    assert model.differences == []
    with pytest.raises(ConfigInvalid):
        model.save()
    assert not (tmp_path / "c.json").exists()


def test_the_file_is_saved_kept_and_watched(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    model = ConfigurationViewModel(file)
    told: list[str] = []
    model.file_changed.connect(lambda: told.append("file"))
    assert not model.is_changed
    model.set("session.name", "mine")
    assert model.is_changed
    model.save()
    assert not model.is_changed
    assert ProfConfig.load(file).get("session.name") == "mine"
    assert model.check_disk() == "same"
    other = ProfConfig.load(file)
    other.set("session.name", "somebody's")
    other.save(file)
    assert model.check_disk() == "changed"
    model.keep_mine()
    assert model.check_disk() == "same"
    assert model.is_changed
    file.unlink()
    assert model.check_disk() == "gone"
    assert told


def test_opening_a_bad_file_changes_nothing(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("[")
    model = ConfigurationViewModel(tmp_path / "c.json")
    model.set("session.name", "mine")
    with pytest.raises(ConfigInvalid):
        model.open(bad)
    assert (model.path.name, model.value("session.name")) == ("c.json", "mine")
    model.undo()
    assert model.value("session.name") == "default_profiling"


def test_new_is_in_no_file_until_it_is_saved(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    model = ConfigurationViewModel(file)
    model.set("session.name", "mine")
    model.save()
    model.new()
    assert model.is_untouched
    assert not model.is_named
    assert not model.has_file
    assert not model.undo_title
    assert model.check_disk() == "same"
    model.save(tmp_path / "d.json")
    assert model.is_named
    assert model.has_file
    assert model.path == tmp_path / "d.json"


def test_what_is_known_of_a_document_is_that_of_the_document_shown() -> None:
    model = ConfigurationViewModel(Path("none.json"))
    seen = []
    for phase in ("enq", "multi-enq"):
        model.set("hw.phase", phase)
        seen.append((model.warnings, [value for _, value in model.differences], json.loads(model.json_text) == model.config.raw))
    assert [bool(warned) for warned, _, _ in seen] == [True, False]
    assert [values for _, values, _ in seen] == [["enq"], ["multi-enq"]]
    assert all(same for _, _, same in seen)
    model.undo()
    assert model.warnings == [trap.text for trap in model.traps] != []


def test_a_stored_value_that_cannot_be_read_is_told_where_it_belongs() -> None:
    model = ConfigurationViewModel(Path("none.json"))
    model.set_json(json.dumps({"GeneralSettings": {"values": {"session": {"value": "a/b"}}}}))
    assert "a/b" in model.problem_of("session.name")
    assert model.problem_of("session.outdir") == ""
    assert model.traps == []


def test_none_is_stored_as_nothing() -> None:
    model = ConfigurationViewModel(Path("none.json"))
    model.set("hw.arch", "gaudi2")
    model.set("hw.arch", "")
    assert model.problems == []
    assert model.is_untouched
