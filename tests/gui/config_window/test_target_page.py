"""Every control of the target page: cards, picture, legend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(make_page: Callable[[str], Any]) -> Any:
    return make_page("target")


@pytest.fixture
def model(page_context: Any) -> Any:
    return page_context.model


def test_cards_by_mouse(page: Any, model: Any) -> None:
    for value in ("gaudi2", "gaudi3", "", "gaudi"):
        QTest.mouseClick(page.cards[value], LEFT)
        assert model.value("hw.arch") == value
        assert [v for v, card in page.cards.items() if card.isChecked()] == [value]
        assert all(look.isVisible() == (value == "") for look in page.looks.values())


def test_cards_by_keyboard(page: Any, model: Any) -> None:
    page.cards[""].setFocus()
    QTest.keyClick(page.cards[""], Qt.Key.Key_Left)
    assert page.cards["gaudi3"].hasFocus()
    QTest.keyClick(page.cards["gaudi3"], Qt.Key.Key_Space)
    assert model.value("hw.arch") == "gaudi3"


def test_without_a_target_any_chip_can_be_looked_at(page: Any, model: Any) -> None:
    for name, look in page.looks.items():
        QTest.mouseClick(look, LEFT)
        assert page.view_model.shown == name
        assert [n for n, other in page.looks.items() if other.isChecked()] == [name]
    assert "Gaudi 3" in page.caption.text()
    assert model.is_untouched


def test_a_click_in_the_picture_switches_the_group(page: Any, model: Any) -> None:
    model.set("hw.arch", "gaudi2")
    for group in ("TPC", "NIC", "FW_events", "VDEC"):
        before = model.config.is_unit_on("gaudi2", group)
        QTest.mouseClick(page.picture, LEFT, pos=page.picture.place_of(group))
        assert model.config.is_unit_on("gaudi2", group) is not before
        count = page.view_model.switches.count("gaudi2", group)
        assert page.legend.buttons[group].text().endswith(f"{count.on}/{count.total}")
    changed = model.json_text
    QTest.mouseClick(page.picture, LEFT, pos=QPoint(2, 2))
    QTest.mouseClick(page.picture, LEFT, pos=page.picture.place_of(""))
    assert model.json_text == changed


def test_the_legend_does_the_same_by_keyboard(page: Any, model: Any) -> None:
    model.set("hw.arch", "gaudi3")
    assert set(page.legend.buttons) == {"TPC", "MME", "EDMA", "PDMA", "CS", "ROT", "NIC"}
    for group, button in page.legend.buttons.items():
        before = model.config.is_unit_on("gaudi3", group)
        button.setFocus()
        QTest.keyClick(button, Qt.Key.Key_Space)
        assert model.config.is_unit_on("gaudi3", group) is not before
        assert page.view_model.switches.count("gaudi3", group).text in button.accessibleName()


def test_the_pointer_marks_a_group_and_tips_count(page: Any, qtbot: QtBot) -> None:
    place = page.picture.place_of("MME")
    QTest.mouseMove(page.picture, place)
    qtbot.waitUntil(lambda: page.picture.under_pointer is not None)
    assert page.picture.under_pointer.group == "MME"
    assert page.picture.cursor().shape() == Qt.CursorShape.PointingHandCursor
    QApplication.sendEvent(page.picture, QHelpEvent(QEvent.Type.ToolTip, place, page.picture.mapToGlobal(place)))
    assert "12 of 12 on" in QToolTip.text()
    QToolTip.hideText()
    QTest.mouseMove(page.picture, QPoint(2, 2))
    qtbot.waitUntil(lambda: page.picture.under_pointer is None)


def test_lit_and_dim_blocks_have_their_colours_in_both_themes(page: Any, model: Any, theme: Any) -> None:
    from hlprof_gui.viewmodels.target import COLOURS

    model.set("hw.arch", "gaudi2")
    for choice in ("light", "dark"):
        theme.use(choice)
        theme.finish()
        picture = page.picture.grab().toImage()
        ratio = picture.devicePixelRatio()
        for group, is_lit in (("TPC", True), ("SM", True), ("NIC", False), ("ROT", False)):
            block, place = next(item for item in page.picture.layout_now().blocks if item[0].group == group)
            corner = QPoint(round((place.x + 12 + 3) * ratio), round((place.y + 12 + 3) * ratio))
            is_full = picture.pixelColor(corner).name() == theme.palette.slices[COLOURS[group]]
            assert is_full is is_lit, (choice, group, block)


def test_the_page_follows_the_document(page: Any, model: Any) -> None:
    model.set("hw.arch", "gaudi3")
    assert page.cards["gaudi3"].isChecked()
    model.undo()
    assert page.cards[""].isChecked()
    model.set("hw.enable", False)
    assert "off" in page.caption.text()


@pytest.mark.parametrize("width", [560, 1500])
def test_nothing_is_cut_at_any_width(make_page: Callable[..., Any], model: Any, width: int) -> None:
    model.set("hw.arch", "gaudi2")
    page = make_page("target", width)
    for widget in (*page.cards.values(), page.picture, *page.legend.buttons.values()):
        corner = widget.mapTo(page, QPoint(widget.width() - 1, widget.height() - 1))
        assert page.rect().contains(widget.mapTo(page, QPoint(0, 0)))
        assert page.rect().contains(corner)
        assert widget.width() >= widget.minimumSizeHint().width()
        assert widget.height() >= widget.minimumSizeHint().height()
    assert all(card.text_fits() for card in page.cards.values())
