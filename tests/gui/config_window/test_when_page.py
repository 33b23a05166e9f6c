"""Every control of the page of the recorded part: cards, picture, range, buffer, warnings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

LEFT = Qt.MouseButton.LeftButton
CTRL = Qt.KeyboardModifier.ControlModifier
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def page(make_page: Callable[[str], Any]) -> Any:
    return make_page("when")


@pytest.fixture
def model(page_context: Any) -> Any:
    return page_context.model


def drag(page: Any, first: float, last: float, modifier: Qt.KeyboardModifier = NONE) -> None:
    """From the middle of one launch to that of another."""
    y = round(page.picture.point_of(1).y())
    points = [QPoint(round(page.picture.x_of(number)), y) for number in (first, (first + last) / 2, last)]
    QTest.mousePress(page.picture, LEFT, modifier, points[0])
    for point in points[1:]:
        QTest.mouseMove(page.picture, point)
    QTest.mouseRelease(page.picture, LEFT, modifier, points[-1])


def look(page: Any) -> bytes:
    """The picture's pixels."""
    image = page.picture.grab().toImage()  # the bits below are its memory
    return bytes(image.constBits())


def test_every_phase_by_its_card(page: Any, model: Any) -> None:
    for phase, card in page.cards.items():
        QTest.mouseClick(card, LEFT)
        assert model.value("hw.phase") == phase
        assert card.isChecked()
        assert model.value("host.start_disabled") is (phase == "profileApi")
        has_range = phase not in ("device-acq", "profileApi")
        assert page.range_field.isEnabled() is has_range
        assert page.summary.text() == page.view_model.summary
    assert page.range_note.text()


def test_cards_by_keyboard(page: Any, model: Any) -> None:
    page.cards["default"].setFocus()
    QTest.keyClick(page.cards["default"], Qt.Key.Key_Right)
    QTest.keyClick(page.focusWidget(), Qt.Key.Key_Space)
    assert model.value("hw.phase") == "multi-enq"


def test_dragging_in_the_picture_sets_the_range(page: Any, model: Any) -> None:
    drag(page, 3.5, 6.5)
    assert model.value("hw.range") == "3-6"
    assert page.range_field.text() == "3-6"
    drag(page, 8.5, 9.5, CTRL)
    assert model.value("hw.range") == "3-6,8-9"
    drag(page, 7.02, 2.5)
    assert model.value("hw.range") == "2-3,8-9"
    model.undo()
    assert model.value("hw.range") == "3-6,8-9"
    assert page.range_field.text() == "3-6,8-9"


def test_a_phase_without_range_cannot_be_dragged(page: Any, model: Any) -> None:
    QTest.mouseClick(page.cards["device-acq"], LEFT)
    drag(page, 3.5, 6.5)
    assert model.value("hw.range") == "1-2"


def test_the_picture_follows_phase_and_range(page: Any, model: Any) -> None:
    pictures = {}
    for phase in page.cards:
        model.set("hw.phase", phase)
        pictures[phase] = look(page)
    # Of two launches, one trace each or one of both looks different; the first launches are a range of launches.
    assert len(set(pictures.values())) == len(pictures) - 1
    assert pictures["default"] == pictures["multi-enq"]
    model.set("hw.phase", "multi-enq")
    model.set("hw.range", "1-2000")
    assert look(page) != pictures["multi-enq"]
    assert page.view_model.count >= 2000
    model.set("hw.enable", False)
    assert "off" in page.summary.text()


def test_tips_tell_what_becomes_of_a_launch(page: Any, model: Any) -> None:
    def tip(number: int) -> str:
        place = page.picture.point_of(number).toPoint()
        QApplication.sendEvent(page.picture, QHelpEvent(QEvent.Type.ToolTip, place, page.picture.mapToGlobal(place)))
        return QToolTip.text()

    assert tip(2) == "Launch 2: recorded"
    assert tip(3) == "Launch 3: not recorded"
    model.set("hw.phase", "mem")
    assert tip(1) == "Copy 1: recorded"
    model.set("hw.phase", "profileApi")
    assert "session" in tip(6)
    QToolTip.hideText()


def test_how_many_launches_the_picture_has(page: Any) -> None:
    for row in range(page.scale.count()):
        page.scale.setCurrentIndex(row)
        wanted = page.scale.itemData(row)
        assert page.view_model.count == (wanted or 12)


def test_typing_a_range(page: Any, model: Any) -> None:
    page.range_field.setFocus()
    page.range_field.selectAll()
    QTest.keyClicks(page.range_field, "11-15, 1-")
    assert page.range_note.property("role") == "error"
    assert "is not a range" in page.range_note.text()
    QTest.keyClicks(page.range_field, "5")
    assert not page.range_note.property("role")
    assert page.range_field.text() == "11-15, 1-5"
    assert model.value("hw.range") == "1-5,11-15"
    QTest.keyClick(page.range_field, Qt.Key.Key_Return)
    assert page.range_field.text() == "1-5,11-15"
    QTest.mouseClick(page.range_reset, LEFT)
    assert model.is_untouched
    page.buffer.setFocus()
    assert page.range_field.text() == "1-2"
    assert not page.range_reset.isEnabled()


def test_the_buffer_by_arrows_and_usual_sizes(page: Any, model: Any) -> None:
    assert page.buffer.value() == 128
    page.buffer.setValue(300)
    assert model.value("hw.buffer_bytes") == 300 << 20
    assert not any(button.isChecked() for button in page.presets.values())
    for size, button in page.presets.items():
        QTest.mouseClick(button, LEFT)
        assert model.value("hw.buffer_bytes") == size << 20
        assert page.buffer.value() == size
        assert button.isChecked()
    assert "million events" in page.buffer_note.text()


@pytest.mark.parametrize("width", [560, 1500])
def test_cards_find_room_for_their_text(make_page: Callable[..., Any], width: int) -> None:
    page = make_page("when", width)
    for card in page.cards.values():
        assert card.text_fits()
        assert card.geometry().right() <= page.width()
