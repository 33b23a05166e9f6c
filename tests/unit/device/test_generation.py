from __future__ import annotations

import json

import pytest

from hlprof_core import resource
from hlprof_core.device import device_names, load_generation
from hlprof_core.errors import UnknownName

COUNTS = {
    "gaudi": {"DMA": 8, "MME": 2, "TPC": 8, "NIC": 10},
    "gaudi2": {"DMA": 11, "MME": 4, "TPC": 24, "NIC": 24},
    "gaudi3": {"DMA": 12, "MME": 8, "TPC": 64, "NIC": 24},
}


def test_three_generations_are_described() -> None:
    assert device_names() == ("gaudi", "gaudi2", "gaudi3")


@pytest.mark.parametrize("name", COUNTS)
def test_engines_and_their_names(name: str) -> None:
    generation = load_generation(name)
    assert {c: len(generation.engines_of(c)) for c in COUNTS[name]} == COUNTS[name]
    for engine_class in COUNTS[name]:
        assert [e.index for e in generation.engines_of(engine_class)] == list(range(COUNTS[name][engine_class]))
    names = [e.name for e in generation.engines]
    assert len(set(names)) == len(names)
    assert len(set(generation.units())) == len(generation.units())


def test_gaudi_rows_ports_cores_and_channels() -> None:
    gaudi = load_generation("gaudi")
    assert [e.name for e in gaudi.engines_of("NIC")] == [f"NIC{m}_{p}" for m in range(5) for p in range(2)]
    assert [e.cores for e in gaudi.engines_of("MME")] == [("MME0", "MME1"), ("MME2", "MME3")]
    assert len(gaudi.engines_of("DMA", "compute")) == 5
    assert [e.index for e in gaudi.engines_of("DMA", "host_to_device")] == [0]
    assert gaudi.hbm_bytes == 32 << 30


@pytest.mark.parametrize("name", device_names())
def test_every_fact_names_its_source(name: str) -> None:
    generation = load_generation(name)
    assert {f.source for f in generation.facts.values()} <= set(generation.sources)
    assert all(f.value >= 0 for f in generation.facts.values())
    assert set(load_generation("gaudi").facts) == set(generation.facts)


@pytest.mark.parametrize("name", device_names())
def test_units_of_gaudi_1_and_2_are_those_of_the_component_list(name: str) -> None:
    table = resource.ROOT.parent.parent / "shared" / "reference" / "gaudi-samples" / "gaudi_coresight_components.csv"
    if not table.exists():
        pytest.skip("the shared component table is not here")
    blocks = {line.split(",")[3] for line in table.read_text().splitlines() if line.startswith(f"{name},")}
    if not blocks:
        pytest.skip(f"no component list of {name} is public")
    for engine in load_generation(name).engines:
        if engine.engine_class in ("TPC", "MME"):
            assert all(f"{unit}_STM" in blocks or f"{unit}_SPMU" in blocks for unit in engine.units), engine


def test_an_unknown_device_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"gaudi9.*gaudi"):
        load_generation("gaudi9")


def test_only_the_first_generation_rests_on_measurements() -> None:
    assert [json.loads(resource.path("devices", f"{n}.json").read_text())["estimated"] for n in device_names()] == [False, True, True]
