"""The events that the performance counters (SPMU) of a class of units can count; facts are in ``resources/units``."""

from __future__ import annotations

import functools

from msgspec import Struct

from hlprof_core import resource
from hlprof_core.config.unit_tree import unit_tree


class SpmuEvent(Struct, frozen=True):
    """``id`` is the number to configure, ``name`` the hardware's, ``doc`` what the profiler calls it in a trace."""

    id: int
    name: str
    doc: str


def spmu_events(generation: str, unit_list: str) -> tuple[SpmuEvent, ...]:
    """The events of an option such as ``tpc_spmu``, by id; empty where they are not public."""
    engine = next((entry.events for entry in unit_tree(generation).lists if entry.flag == unit_list), "")
    return _tables(generation).get(engine, ()) if engine else ()


@functools.cache
def _tables(generation: str) -> dict[str, tuple[SpmuEvent, ...]]:
    import csv

    tables: dict[str, list[SpmuEvent]] = {}
    with open(resource.path("units", f"{generation}_spmu.csv"), newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            tables.setdefault(row["engine"], []).append(SpmuEvent(int(row["event_id"]), row["hw_name"], row["label"]))
    return {engine: tuple(sorted(events, key=lambda event: event.id)) for engine, events in tables.items()}
