"""Every control of the page of hardware units: tree, buttons, search, scope, and the editors of the lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest

LEFT = Qt.MouseButton.LeftButton
CHECK = Qt.ItemDataRole.CheckStateRole
ON, PART, OFF = Qt.CheckState.Checked, Qt.CheckState.PartiallyChecked, Qt.CheckState.Unchecked


@pytest.fixture
def model(page_context: Any) -> Any:
    return page_context.model


@pytest.fixture
def page(make_page: Callable[[str], Any], model: Any) -> Any:
    model.set("hw.arch", "gaudi2")
    return make_page("units")


def index_of(page: Any, group: str = "", unit: str = "", generation: str = "gaudi2") -> QModelIndex:
    """The row in the filtered tree."""
    return page.filter.mapFromSource(page.model.find(generation, group, unit))


def state_of(page: Any, *names: str) -> Qt.CheckState:
    return Qt.CheckState(page.filter.data(index_of(page, *names), CHECK))


def click_box(page: Any, index: QModelIndex) -> None:
    """Click the check box of a row."""
    page.tree.expand(index.parent())
    page.tree.scrollTo(index)
    place = page.tree.visualRect(index)
    QTest.mouseClick(page.tree.viewport(), LEFT, pos=QPoint(place.left() + 10, place.center().y()))


def choose(page: Any, index: QModelIndex) -> None:
    page.tree.setCurrentIndex(index)


def test_the_model_keeps_qts_promises(qapp: Any, page_context: Any, model: Any) -> None:
    from hlprof_gui.config_window.unit_tree_model import UnitTreeModel
    from hlprof_gui.viewmodels.unit_switches import UnitSwitches

    tree = UnitTreeModel(UnitSwitches(model))
    tester = QAbstractItemModelTester(tree, QAbstractItemModelTester.FailureReportingMode.Fatal)
    tree.show_generations(("gaudi", "gaudi2", "gaudi3"))
    told: list[tuple[int, int]] = []
    tree.dataChanged.connect(lambda first, last, *_: told.append((first.row(), last.row())))
    assert tree.setData(tree.find("gaudi2", "TPC", "DCORE0_TPC3_EML"), OFF, CHECK)
    assert len(told) == 3
    told.clear()
    tree.refresh()
    assert told == []
    tree.show_generations(("gaudi3",))
    assert tree.rowCount() == 1
    assert not tree.find("gaudi2").isValid()
    assert not tree.setData(tree.find("gaudi3"), OFF, Qt.ItemDataRole.EditRole)
    del tester


def test_the_tree_shows_groups_units_and_counts(page: Any, model: Any) -> None:
    top = index_of(page)
    assert page.filter.data(top.siblingAtColumn(1)) == "68 of 96 on"
    assert (state_of(page), state_of(page, "TPC"), state_of(page, "NIC")) == (PART, ON, OFF)
    model.set("units.gaudi2.TPC.DCORE0_TPC0_EML", False)
    assert state_of(page, "TPC") == PART
    assert page.filter.data(index_of(page, "TPC").siblingAtColumn(1)) == "24 of 25 on"
    assert page.filter.data(index_of(page, "FW_events").siblingAtColumn(1)) == "off"
    assert "24 of 25" in page.filter.data(index_of(page, "TPC"), Qt.ItemDataRole.ToolTipRole)


def test_boxes_of_units_groups_and_the_generation(page: Any, model: Any) -> None:
    click_box(page, index_of(page, "NIC", "NIC3_DBG_0"))
    assert state_of(page, "NIC", "NIC3_DBG_0") == ON
    assert state_of(page, "NIC") == PART
    assert page.view_model.switches.on_units("gaudi2", "NIC") == {"NIC3_DBG_0"}
    click_box(page, index_of(page, "NIC"))
    assert state_of(page, "NIC") == ON
    click_box(page, index_of(page, "NIC"))
    assert state_of(page, "NIC") == OFF
    click_box(page, index_of(page))
    assert state_of(page) == ON
    click_box(page, index_of(page))
    assert state_of(page) == OFF


def test_boxes_by_keyboard(page: Any) -> None:
    choose(page, index_of(page, "SM"))
    page.tree.setFocus()
    QTest.keyClick(page.tree, Qt.Key.Key_Space)
    assert state_of(page, "SM") == OFF


def test_all_none_and_default_of_a_group(page: Any, model: Any) -> None:
    start = model.json_text
    choose(page, index_of(page, "MME", "DCORE1_MME_ACC"))
    assert page.chosen.text() == "Matrix engine: operand buffers, accumulators, control"
    QTest.mouseClick(page.none_button, LEFT)
    assert state_of(page, "MME") == OFF
    QTest.mouseClick(page.all_button, LEFT)
    assert state_of(page, "MME") == ON
    choose(page, index_of(page))
    QTest.mouseClick(page.none_button, LEFT)
    assert state_of(page) == OFF
    QTest.mouseClick(page.default_button, LEFT)
    assert model.json_text == start


def test_search_leaves_what_matches(page: Any) -> None:
    QTest.keyClicks(page.search, "nic1_")
    assert page.filter.rowCount(index_of(page)) == 1
    assert page.filter.rowCount(index_of(page, "NIC")) == 2
    assert page.tree.isExpanded(index_of(page, "NIC"))
    page.search.setText("decoder")
    assert page.filter.rowCount(index_of(page)) == 1
    assert page.filter.rowCount(index_of(page, "VDEC")) == 1
    page.search.setText("[D2] TPC 5")
    assert page.filter.rowCount(index_of(page, "TPC")) == 1
    assert page.filter.data(index_of(page, "TPC", "DCORE2_TPC5_EML")) == "DCORE2_TPC5_EML   [D2] TPC 5"
    page.search.setText("no such unit")
    assert page.filter.rowCount() == 0
    assert not page.all_button.isEnabled()
    page.search.clear()
    assert page.filter.rowCount(index_of(page)) == 10


def test_only_the_target_or_all_generations(page: Any, model: Any) -> None:
    assert page.only.isChecked()
    assert page.only.text() == "Gaudi 2 only"
    QTest.mouseClick(page.every, LEFT)
    assert page.filter.rowCount() == 3
    click_box(page, index_of(page, "NIC", generation="gaudi3"))
    assert model.value("units.gaudi3.NIC") is True
    QTest.mouseClick(page.only, LEFT)
    assert page.filter.rowCount() == 1
    model.set("hw.arch", "gaudi3")
    assert index_of(page, generation="gaudi3").isValid()
    assert "Gaudi 3 has no public options" in page.lists.nothing.text()
    assert page.lists.editor is None
    model.reset("hw.arch")
    assert page.every.isChecked()
    assert not page.only.isEnabled()


def test_the_hardware_trace_as_a_whole(page: Any, model: Any) -> None:
    page.trace.click()
    assert model.value("hw.enable") is False
    assert not page.tree.isEnabled()
    assert "off" in page.summary.text()
    page.trace.click()
    assert page.tree.isEnabled()


def editor_of(page: Any, flag: str) -> Any:
    page.lists.choice.setCurrentIndex(page.lists.choice.findData(f"units.gaudi2.{flag}"))
    page.lists.choice.activated.emit(page.lists.choice.currentIndex())
    return page.lists.editor


def test_every_list_has_its_editor(page: Any, model: Any) -> None:
    from hlprof_gui.config_window.bmon_editor import BmonEditor

    for row in range(page.lists.choice.count()):
        setting_id = page.lists.choice.itemData(row)
        editor = editor_of(page, setting_id.rpartition(".")[2])
        assert editor.entry.setting_id == setting_id
        assert isinstance(editor, BmonEditor) == setting_id.endswith("bmon")
        QTest.mouseClick(editor.switch, LEFT)
        assert model.value(setting_id)
        assert page.lists.choice.itemText(row).endswith("set")
        QTest.mouseClick(editor.switch, LEFT)
        assert not model.value(setting_id)


def test_the_editor_of_bus_monitors(page: Any, model: Any) -> None:
    editor = editor_of(page, "tpc_bmon")
    assert not editor.form_area.isEnabled()
    QTest.mouseClick(editor.switch, LEFT)
    QTest.mouseClick(editor.monitors[1], LEFT)
    QTest.mouseClick(editor.monitors[0], LEFT)
    editor.measurements["lat"].click()
    editor.windows.setFocus()
    editor.windows.selectAll()
    QTest.keyClicks(editor.windows, "2048, 1024")
    editor.filters.setFocus()
    QTest.keyClicks(editor.filters, "0x1000-0x2000")
    assert model.value("units.gaudi2.tpc_bmon") == "[[1][bw,out][2048,1024][0x1000-0x2000]]"
    assert editor.text.text() == "[[1][bw,out][2048,1024][0x1000-0x2000]]"
    editor.windows.setFocus()
    QTest.keyClicks(editor.windows, "x")
    assert "is not a window" in editor.error.text()
    assert editor.error.isVisible()
    assert editor.windows.text() == "2048, 1024x"
    QTest.keyClick(editor.windows, Qt.Key.Key_Backspace)
    assert not editor.error.isVisible()


def test_the_text_form_is_the_same_list(page: Any, model: Any) -> None:
    editor = editor_of(page, "edma_bmon")
    editor.text.setFocus()
    QTest.keyClicks(editor.text, "[[0,5][bw][512,256][]]")
    assert model.value("units.gaudi2.edma_bmon") == "[[0,5][bw][512,256][]]"
    assert [n for n, button in enumerate(editor.monitors) if button.isChecked()] == [0, 5]
    assert editor.switch.isChecked()
    QTest.keyClick(editor.text, Qt.Key.Key_Backspace)
    assert "write it like" in editor.error.text()
    assert model.value("units.gaudi2.edma_bmon") == "[[0,5][bw][512,256][]]"
    editor.text.selectAll()
    QTest.keyClick(editor.text, Qt.Key.Key_Delete)
    assert model.value("units.gaudi2.edma_bmon") == ""


def test_the_editor_of_counters(page: Any, model: Any) -> None:
    editor = editor_of(page, "tpc_spmu")
    tester = QAbstractItemModelTester(editor.events, QAbstractItemModelTester.FailureReportingMode.Fatal)
    QTest.mouseClick(editor.switch, LEFT)
    QTest.keyClicks(editor.search, "store tensor")
    numbers = [int(editor.filter.data(editor.filter.index(row, 0)).split()[0]) for row in range(editor.filter.rowCount())]
    assert 57 in numbers
    assert 0 not in numbers
    row = numbers.index(57)
    place = editor.list.visualRect(editor.filter.index(row, 0))
    QTest.mouseClick(editor.list.viewport(), LEFT, pos=QPoint(place.left() + 14, place.center().y()))
    assert model.value("units.gaudi2.tpc_spmu") == "[[0,57][2048,on]]"
    editor.search.clear()
    for number in (65, 71, 72, 74, 75):
        editor.events.setData(editor.events.index(number), ON, CHECK)
    assert model.value("units.gaudi2.tpc_spmu") == "[[0,57,65,71,72,74][2048,on]]"
    assert not editor.events.flags(editor.events.index(75)) & Qt.ItemFlag.ItemIsEnabled
    editor.events.setData(editor.events.index(0), OFF, CHECK)
    assert editor.events.flags(editor.events.index(75)) & Qt.ItemFlag.ItemIsEnabled
    editor.cycles.setValue(512)
    editor.clears.click()
    assert editor.text.text() == "[[57,65,71,72,74][512,off]]"
    editor.ids.setFocus()
    editor.ids.selectAll()
    QTest.keyClicks(editor.ids, "1, 2,")
    assert model.value("units.gaudi2.tpc_spmu") == "[[1,2][512,off]]"
    QTest.keyClicks(editor.ids, "y")
    assert "not an event id" in editor.error.text()
    del tester


def test_counters_without_names_take_ids(page: Any, model: Any) -> None:
    editor = editor_of(page, "mme_acc_spmu")
    assert not editor.list.isVisible()
    QTest.mouseClick(editor.switch, LEFT)
    editor.ids.setFocus()
    QTest.keyClicks(editor.ids, "0 1")
    assert model.value("units.gaudi2.mme_acc_spmu") == "[[0,1][2048,on]]"


def test_settings_are_found_by_name(page: Any, model: Any) -> None:
    page.search.setText("tpc")
    assert page.reveal("units.gaudi2.NIC.NIC3_DBG_0")
    assert page.filter.data(page.tree.currentIndex()).startswith("NIC3_DBG_0")
    assert page.reveal("units.gaudi3.ROT")
    assert page.every.isChecked()
    assert page.current_node().group == "ROT"
    assert page.reveal("units.gaudi2.mme_sbte_spmu")
    assert page.lists.editor.entry.entry.flag == "mme_sbte_spmu"
    assert page.reveal("hw.enable")
    assert not page.reveal("session.name")
    assert not page.reveal("units.gaudi2.none")


def test_a_narrow_page_puts_the_lists_below(make_page: Callable[..., Any], model: Any) -> None:
    model.set("hw.arch", "gaudi2")
    page = make_page("units", 560)
    assert page.split.orientation() == Qt.Orientation.Vertical
    assert page.tree.height() >= 250
    assert page.lists.geometry().right() <= page.split.width()
    page.resize(900, page.height())
    assert page.split.orientation() == Qt.Orientation.Horizontal
