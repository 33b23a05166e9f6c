"""The life of the file: title, saving, the question before something is lost, templates, recent files, changes on disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox
from pytestqt.qtbot import QtBot

from hlprof_core.config.document import ProfConfig
from hlprof_core.config.templates import templates
from tests.gui.config_window.conftest import press

K = Qt.Key
LEFT = Qt.MouseButton.LeftButton


def answer(monkeypatch: pytest.MonkeyPatch, button: QMessageBox.StandardButton) -> list[str]:
    """Answer the next questions; the texts that were asked."""
    asked: list[str] = []

    def choose(box: QMessageBox) -> int:
        asked.append(box.text())
        return int(button.value)

    monkeypatch.setattr(QMessageBox, "exec", choose)
    return asked


def test_the_title_tells_file_and_unsaved_changes(window: Any, config_file: Path) -> None:
    assert "prof_config.json" in window.windowTitle()
    assert not window.isWindowModified()
    window.model.set("session.name", "x")
    assert window.isWindowModified()
    press(window, K.Key_S)
    assert not window.isWindowModified()
    assert ProfConfig.load(config_file).get("session.name") == "x"
    assert ProfConfig.load(config_file.with_name("prof_config.json.bak")).get("session.name") == "first"
    assert "Saved" in window.messages.text


@pytest.mark.parametrize(
    ("button", "is_closed", "stored"), [("Save", True, "mine"), ("Discard", True, "first"), ("Cancel", False, "first")]
)
def test_closing_asks_for_what_is_unsaved(
    window: Any, config_file: Path, monkeypatch: pytest.MonkeyPatch, button: str, is_closed: bool, stored: str
) -> None:
    asked = answer(monkeypatch, getattr(QMessageBox.StandardButton, button))
    window.model.set("session.name", "mine")
    window.close()
    assert asked == ["Save the changes to prof_config.json?"]
    assert window.is_closed == is_closed
    assert ProfConfig.load(config_file).get("session.name") == stored


def test_the_question_itself(window: Any) -> None:
    """The real box, answered by a click."""
    window.model.set("session.name", "mine")

    def click() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        QTest.mouseClick(box.button(QMessageBox.StandardButton.Cancel), LEFT)

    QTimer.singleShot(100, click)
    assert window.file.ask() == "cancel"


def test_closing_with_nothing_unsaved_asks_nothing(window: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answer(monkeypatch, QMessageBox.StandardButton.Cancel)
    window.model.set("session.name", "x")
    window.model.undo()
    window.close()
    assert asked == []
    assert window.is_closed


def test_another_file_is_opened_only_after_the_question(window: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answer(monkeypatch, QMessageBox.StandardButton.Cancel)
    other = tmp_path / "other.json"
    ProfConfig().save(other)
    window.model.set("session.name", "mine")
    window.open_path(other)
    window.new()
    assert len(asked) == 2
    assert window.model.value("session.name") == "mine"
    answer(monkeypatch, QMessageBox.StandardButton.Discard)
    window.open_path(other)
    assert window.model.path == other
    assert window.model.value("session.name") == "default_profiling"


def test_a_file_that_is_no_configuration_is_told_and_leaves_all(window: Any, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("[1")
    window.open_path(bad)
    assert "bad.json" in window.messages.text
    assert window.model.value("session.name") == "first"
    assert bad.resolve() not in window.settings.recent_configurations


def test_a_file_that_cannot_be_written_is_told(window: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    target = tmp_path / "file" / "below.json"
    monkeypatch.setattr("hlprof_gui.config_window.file_keeper.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))
    window.model.set("session.name", "mine")
    assert not window.save_as()
    assert "below.json" in window.messages.text
    assert window.isWindowModified()


def test_new_has_no_file_and_save_asks_where(window: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    press(window, K.Key_N)
    assert window.model.is_untouched
    assert window.windowTitle().startswith("New configuration")
    target = tmp_path / "new.json"
    monkeypatch.setattr("hlprof_gui.config_window.file_keeper.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))
    window.model.set("merged.csv", True)
    press(window, K.Key_S)
    assert ProfConfig.load(target).get("merged.csv") is True
    assert window.model.path == target
    assert window.settings.recent_configurations[0] == target.resolve()


def test_reset_all_is_a_step(window: Any) -> None:
    window.actions_by_id["edit.reset_all"].trigger()
    assert window.model.is_untouched
    assert not window.actions_by_id["edit.reset_all"].isEnabled()
    press(window, K.Key_Z)
    assert window.model.value("session.name") == "first"


def test_templates_are_listed_and_used(window: Any) -> None:
    actions = window._template_menu.actions()
    assert [action.text() for action in actions] == list(templates())
    for action, entry in zip(actions, templates().values(), strict=True):
        assert action.toolTip() == entry.title
        action.trigger()
        assert window.model.config.raw == entry.config().raw
        window.model.undo()
    assert window.model.value("session.name") == "first"


def test_recent_files(window: Any, config_file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    ProfConfig().save(other)
    window.open_path(other)
    window._recent_menu.aboutToShow.emit()
    names = [action.text().split()[0] for action in window._recent_menu.actions() if action.text()]
    assert names[:2] == ["other.json", "prof_config.json"]
    window._recent_menu.actions()[1].trigger()
    assert window.model.path == config_file.resolve()
    window._recent_menu.actions()[-1].trigger()
    window._recent_menu.aboutToShow.emit()
    assert [action.text() for action in window._recent_menu.actions()] == ["No recent files"]


def test_a_broken_file_at_the_start_is_told_and_left_as_it_is(open_configuration: Callable[[Path], Any], tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"Plugins": [}')
    window = open_configuration(broken)
    assert "broken.json" in window.messages.text
    assert "line 1" in window.messages.text
    assert window.model.is_untouched
    assert broken.read_text() == '{"Plugins": [}'


def test_a_dropped_file_opens(window: Any, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    ProfConfig().save(other)
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(other))])
    window.dropEvent(QDropEvent(QPointF(50, 50), Qt.DropAction.CopyAction, mime, LEFT, Qt.KeyboardModifier.NoModifier))
    assert window.model.path == other


def test_a_change_on_disk_is_noticed_and_read_or_refused(window: Any, config_file: Path, qtbot: QtBot) -> None:
    def change(name: str) -> None:
        other = ProfConfig.load(config_file)
        other.set("session.name", name)
        other.save(config_file)
        qtbot.waitUntil(lambda: window.disk_bar.isVisible(), timeout=10_000)

    assert not window.disk_bar.isVisible()
    change("somebody's")
    assert "changed by another program" in window.disk_bar.text.text()
    QTest.mouseClick(window.disk_bar.reload_button, LEFT)
    assert not window.disk_bar.isVisible()
    assert window.model.value("session.name") == "somebody's"
    change("again")
    QTest.mouseClick(window.disk_bar.keep_button, LEFT)
    assert not window.disk_bar.isVisible()
    assert window.isWindowModified()
    assert window.model.value("session.name") == "somebody's"
    config_file.unlink()
    qtbot.waitUntil(lambda: window.disk_bar.isVisible(), timeout=10_000)
    assert "removed" in window.disk_bar.text.text()
    assert not window.disk_bar.reload_button.isVisible()
    press(window, K.Key_S)
    assert not window.disk_bar.isVisible()
    assert ProfConfig.load(config_file).get("session.name") == "somebody's"


def test_its_own_saving_is_no_change_on_disk(window: Any, qtbot: QtBot) -> None:
    window.model.set("session.name", "x")
    window.save()
    qtbot.wait(250)
    assert not window.disk_bar.isVisible()


def test_without_a_file_the_defaults_are_shown(open_configuration: Callable[[Path], Any], tmp_path: Path) -> None:
    window = open_configuration(tmp_path / "none" / "prof_config.json")
    assert window.model.is_untouched
    assert window.model.differences == []
    assert not window.isWindowModified()
    assert window.save()
    assert (tmp_path / "none" / "prof_config.json").exists()


def test_a_broken_file_is_mended_on_the_page_raw(open_configuration: Callable[[Path], Any], tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"Plugins": [}')
    window = open_configuration(broken)
    assert window.is_page_shown("raw")
    editor = window.frame("raw").page.editor
    assert editor.toPlainText() == '{"Plugins": [}'
    assert window.isWindowModified()
    assert not window.save(), "the defaults do not replace what somebody may want to mend"
    assert broken.read_text() == '{"Plugins": [}'
    editor.setPlainText('{"GeneralSettings": {"values": {"session": {"value": "mended"}}}}')
    window.frame("raw").page.read()
    assert window.model.value("session.name") == "mended"
    assert window.save()
    assert not window.isWindowModified()
    assert ProfConfig.load(broken).get("session.name") == "mended"


def test_text_that_is_no_configuration_is_not_lost_silently(window: Any, config_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window.show_page("raw")
    page = window.frame("raw").page
    page.editor.setPlainText("{nonsense")
    page.read()
    assert window.isWindowModified()
    assert not window.save()
    assert "page Raw" in window.messages.text
    asked = answer(monkeypatch, QMessageBox.StandardButton.Cancel)
    window.close()
    assert asked
    assert not window.is_closed
    page.format_button.click()
    assert not window.isWindowModified()
    assert ProfConfig.load(config_file).get("session.name") == "first"


def test_no_label_takes_names_for_mark_up(window: Any) -> None:
    for entry in window.pages:
        window.show_page(entry.id)
    labels = [label for label in window.centralWidget().findChildren(QLabel) if label.text()]
    assert len(labels) > 50
    assert [label.text() for label in labels if label.textFormat() != Qt.TextFormat.PlainText] == []
