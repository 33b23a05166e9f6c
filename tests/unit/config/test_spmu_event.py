"""The events that can be counted are those of the published table."""

from __future__ import annotations

import csv

from hlprof_core.config.bracket_list import MAX_COUNTERS
from hlprof_core.config.explanation import explain
from hlprof_core.config.spmu_event import spmu_events
from hlprof_core.config.unit_tree import GENERATIONS, unit_tree


def test_the_counters_of_the_tpc_have_names():
    events = spmu_events("gaudi2", "tpc_spmu")
    assert [event.id for event in events] == list(range(81))
    assert (events[8].name, events[8].doc) == ("WB2CORE_BP", "Back pressure from memory to TPC write queue on store tensors")
    assert spmu_events("gaudi2", "mme_acc_spmu") == ()
    assert spmu_events("gaudi2", "tpc_bmon") == ()
    assert spmu_events("gaudi3", "tpc_spmu") == ()


def test_the_names_are_the_published_ones(samples):
    path = samples.parent / "reference" / "gaudi-samples" / "gaudi2_spmu_events.csv"
    with open(path, newline="") as file:
        rows = {(int(row["event_id"]), row["hw_name"], row["label"]) for row in csv.DictReader(file) if row["engine"] == "TPC"}
    assert {(event.id, event.name, event.doc) for event in spmu_events("gaudi2", "tpc_spmu")} == rows


def test_a_list_that_names_a_table_has_events():
    for generation in GENERATIONS:
        for entry in unit_tree(generation).lists:
            assert bool(spmu_events(generation, entry.flag)) == bool(entry.events)


def test_explanations_show_the_form_and_the_events():
    text = explain("--tpc_spmu")
    assert "   17  STALL_SPU_ANY" in text
    assert f"at most {MAX_COUNTERS}" in text
    assert "bw, lat, out" in explain("tpc_bmon")
