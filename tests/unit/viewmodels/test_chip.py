"""Floor plans: every trace unit is drawn, in the number the device has, and nothing overlaps."""

from __future__ import annotations

from collections import Counter

import pytest

from hlprof_core.config.unit_tree import GENERATIONS, unit_tree
from hlprof_core.device import load_generation
from hlprof_gui.viewmodels.chip import Block, Rect, blocks, lay_out

DRAWN_TWICE = {"gaudi2": {"DurationEvents"}, "gaudi3": {f"D{d}_NIC{n}_CS_DBG" for d in range(2) for n in range(6)}}
"""Units that stand for several engines: one for all decoders, one for both ports of a macro."""


def of_group(generation: str, *groups: str) -> list[Block]:
    return [block for block in blocks(generation) if block.group in groups]


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_unit_of_every_group_is_drawn(generation: str) -> None:
    drawn = Counter(unit for block in blocks(generation) for unit in block.units)
    groups = unit_tree(generation).groups
    assert set(drawn) == {unit for group in groups for unit in group.units}
    assert {unit for unit, times in drawn.items() if times > 1} == DRAWN_TWICE.get(generation, set())
    for group in groups:
        assert {unit for block in of_group(generation, group.name) for unit in block.units} == set(group.units)
        assert of_group(generation, group.name)


@pytest.mark.parametrize("generation", GENERATIONS)
def test_engines_come_in_their_real_number(generation: str) -> None:
    chip = load_generation(generation)
    spare = 1 if generation == "gaudi2" else 0
    assert len(of_group(generation, "TPC")) == len(chip.engines_of("TPC")) + spare
    assert len(of_group(generation, "DMA", "EDMA", "PDMA", "KDMA")) == len(chip.engines_of("DMA"))
    assert len(of_group(generation, "NIC")) == len(chip.engines_of("NIC"))
    cores = [core for engine in chip.engines_of("MME") for core in engine.cores] or chip.engines_of("MME")
    assert len(of_group(generation, "MME")) == len(cores)
    stacks = [block for block in blocks(generation) if block.label == "HBM"]
    assert len(stacks) == chip.value("hbm_stacks")
    size = int(stacks[0].figure.removesuffix(" GB"))
    assert size * len(stacks) == chip.hbm_bytes >> 30


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("size", [(440, 230), (860, 320), (1900, 700)])
def test_blocks_lie_inside_and_apart(generation: str, size: tuple[int, int]) -> None:
    layout = lay_out(generation, *size)
    places = [place for _, place in layout.blocks]
    for place in [*places, *(frame.place for frame in layout.frames)]:
        assert place.width > 2
        assert place.height > 2
        assert place.x >= 0
        assert place.y >= 0
        assert place.x + place.width <= size[0] + 1e-6
        assert place.y + place.height <= size[1] + 1e-6
    for number, one in enumerate(places):
        assert not any(overlap(one, other) for other in places[number + 1 :])


def overlap(a: Rect, b: Rect) -> bool:
    slack = 1e-6
    apart_x = a.x + a.width <= b.x + slack or b.x + b.width <= a.x + slack
    apart_y = a.y + a.height <= b.y + slack or b.y + b.height <= a.y + slack
    return not (apart_x or apart_y)


def test_a_block_is_found_where_it_lies() -> None:
    layout = lay_out("gaudi2", 860, 320)
    for block, place in layout.blocks:
        assert layout.block_at(place.x + place.width / 2, place.y + place.height / 2) == block
    assert layout.block_at(-5, -5) is None


def test_units_of_a_block_belong_together() -> None:
    assert [block.units for block in of_group("gaudi", "MME")][1] == ("MME1_ACC", "MME1_SBAB", "MME1_CTRL")
    assert of_group("gaudi3", "MME")[7].units == (*(f"HD7_MME_SBTE{n}" for n in range(4)), "HD7_MME_ACC")
    assert of_group("gaudi2", "TPC")[6].note == "spare core"
