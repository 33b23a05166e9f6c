"""The target: cards with facts of the devices, and a chip lit by what records."""

from __future__ import annotations

from pathlib import Path

from hlprof_gui.viewmodels.chip import blocks
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel
from hlprof_gui.viewmodels.target import COLOURS, TargetViewModel, cards
from hlprof_gui.viewmodels.unit_switches import Share


def make() -> tuple[ConfigurationViewModel, TargetViewModel]:
    model = ConfigurationViewModel(Path("none.json"))
    return model, TargetViewModel(model)


def test_cards_tell_facts_of_the_devices() -> None:
    found = {card.value: card for card in cards()}
    assert list(found) == ["gaudi", "gaudi2", "gaudi3", ""]
    assert found["gaudi2"].lines == ("24 TPC · 4 MME", "96 GB · 2.45 TB/s", "24 × 100 GbE", "7 nm · 600 W")
    assert found["gaudi3"].lines[2] == "24 × 200 GbE"
    assert all(card.help and len(card.lines) <= 4 for card in found.values())


def test_choosing_and_leaving_a_target() -> None:
    model, target = make()
    told: list[str] = []
    target.changed.connect(lambda: told.append(target.shown))
    assert (target.target, target.shown) == ("", "gaudi")
    target.choose("gaudi3")
    assert (target.target, target.shown) == ("gaudi3", "gaudi3")
    target.choose("")
    assert (target.target, target.shown) == ("", "gaudi3")
    assert model.is_untouched
    target.look_at("gaudi2")
    target.look_at("gaudi2")
    assert told == ["gaudi3", "gaudi3", "gaudi2"]
    assert model.is_untouched


def test_blocks_are_lit_by_what_records() -> None:
    model, target = make()
    target.choose("gaudi2")
    lit = {block.group for block, share in target.shares().items() if share is Share.ALL}
    assert lit == {"TPC", "MME", "EDMA", "PDMA", "KDMA", "SM"}
    target.toggle("EDMA")
    target.toggle("NIC")
    shares = target.shares()
    assert {shares[b] for b in blocks("gaudi2") if b.group == "EDMA"} == {Share.NONE}
    assert {shares[b] for b in blocks("gaudi2") if b.group == "NIC"} == {Share.ALL}
    model.set("units.gaudi2.MME.DCORE1_MME_ACC", False)
    mme = [target.share(b) for b in blocks("gaudi2") if b.group == "MME"]
    assert mme == [Share.ALL, Share.SOME, Share.ALL, Share.ALL]
    model.set("hw.enable", False)
    assert set(target.shares().values()) == {Share.NONE}
    assert "off" in target.caption


def test_tips_count_and_tell_what_a_click_does() -> None:
    _, target = make()
    target.choose("gaudi2")
    by_group = {block.group: block for block in blocks("gaudi2")}
    assert target.tip(by_group["MME"]).splitlines() == [
        "DCORE3_MME (7 units): on",
        "Matrix engine: operand buffers, accumulators, control: 28 of 28 on",
        "Click: switch the group off",
    ]
    assert target.tip(by_group["NIC"]).splitlines()[0] == "NIC11_DBG_1: off"
    assert target.tip(by_group["FW_events"]).splitlines() == ["Firmware events: off", "Click: switch the group on"]
    stack = next(b for b in blocks("gaudi2") if b.label == "HBM")
    assert target.tip(stack) == "Stack of high bandwidth memory, 16 GB. It has no switch of its own."
    spare = next(b for b in blocks("gaudi2") if b.note)
    assert "spare core" in target.tip(spare)


def test_the_legend_has_every_group_with_its_count_and_colour() -> None:
    model, target = make()
    target.choose("gaudi3")
    model.set("units.gaudi3.TPC.HD0_TPC0_EML", False)
    legend = {entry.group: entry for entry in target.legend()}
    assert legend["TPC"].count.text == "63 of 64 on"
    assert legend["CS"].name == "Cache"
    assert "switch it off" in legend["TPC"].tip
    assert "switch it on" in legend["NIC"].tip
    assert {entry.colour for entry in legend.values()} <= set(COLOURS.values())
    assert "116 of 137" in target.caption
