"""The trace units of the configuration are those of the devices."""

from __future__ import annotations

import csv

import pytest

from hlprof_core.config.invocation_range import InvocationRange
from hlprof_core.config.unit_tree import GENERATIONS, expand, unit_tree
from hlprof_core.device import load_generation


def test_patterns_expand_with_the_last_one_fastest():
    assert expand("A{0-1}_{0-1}") == ["A0_0", "A0_1", "A1_0", "A1_1"]
    assert expand("HD{1,3}_X") == ["HD1_X", "HD3_X"]


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_engine_has_units_that_can_be_switched(generation):
    known = {unit for group in unit_tree(generation).groups for unit in group.units}
    for engine in load_generation(generation).engines:
        if (generation, engine.engine_class) != ("gaudi3", "NIC"):
            assert set(engine.units) <= known, engine.name


@pytest.mark.parametrize("generation", ["gaudi", "gaudi2"])
def test_units_are_hardware_blocks(generation, samples):
    path = samples.parent / "reference" / "gaudi-samples" / "gaudi_coresight_components.csv"
    with open(path, newline="") as file:
        blocks = [row["unit"] for row in csv.DictReader(file) if row["arch"] == generation]
    for group in unit_tree(generation).groups:
        if group.name in ("NIC", "VDEC"):
            continue
        for unit in group.units:
            assert unit in blocks, unit


def test_ranges():
    numbers = InvocationRange.parse("11-15, 1-5,4-7")
    assert (str(numbers), numbers.first, numbers.last, numbers.span_of(12)) == ("1-7,11-15", 1, 15, (11, 15))
    assert 8 not in numbers
    assert 7 in numbers
    for wrong in ("", "a", "1-", "-3", "5-2", "1,,2"):
        with pytest.raises(ValueError, match=r"range|ends"):
            InvocationRange.parse(wrong)
