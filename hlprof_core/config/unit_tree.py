"""The trace units of each generation as the configuration names them; facts are in ``resources/units``."""

from __future__ import annotations

import functools
import itertools
import json
import re

from msgspec import Struct

from hlprof_core import resource

GENERATIONS = ("gaudi", "gaudi2", "gaudi3")


class UnitGroup(Struct, frozen=True):
    """Units of one class: ``units`` are hardware block names, ``flags`` the option of each or ""."""

    name: str
    title: str
    is_on: bool
    units: tuple[str, ...]
    flags: tuple[str, ...]
    group_flag: str = ""


class UnitList(Struct, frozen=True):
    """An option with a bracket list for all units of a class: ``kind`` is bmon or spmu; ``events`` names the table of its events or ""."""

    flag: str
    kind: str
    title: str
    events: str = ""


class UnitTree(Struct, frozen=True):
    generation: str
    title: str
    groups: tuple[UnitGroup, ...]
    lists: tuple[UnitList, ...]

    def group(self, name: str) -> UnitGroup | None:
        return next((g for g in self.groups if g.name == name), None)


def expand(pattern: str) -> list[str]:
    """``MME{0-3}_ACC`` to four names; several braces vary with the last one fastest."""
    pieces: list[list[str]] = []
    for literal, choices in re.findall(r"([^{}]+)|\{([^}]+)\}", pattern):
        if literal:
            pieces.append([literal])
            continue
        numbers: list[str] = []
        for part in choices.split(","):
            first, _, last = part.partition("-")
            numbers += [str(n) for n in range(int(first), int(last or first) + 1)]
        pieces.append(numbers)
    return ["".join(combination) for combination in itertools.product(*pieces)]


@functools.cache
def unit_tree(generation: str) -> UnitTree:
    """The units of ``gaudi``, ``gaudi2`` or ``gaudi3``."""
    with open(resource.path("units", f"{generation}.json"), encoding="utf-8") as file:
        facts = json.load(file)
    groups = []
    for name, entry in facts["groups"].items():
        units = [unit for pattern in entry["units"] for unit in expand(pattern)]
        flags = [flag for pattern in entry["flags"] for flag in expand(pattern)] or [""] * len(units)
        groups.append(UnitGroup(name, entry["title"], entry["on"], tuple(units), tuple(flags), entry.get("group_flag", "")))
    lists = tuple(UnitList(entry["flag"], entry["kind"], entry["title"], entry.get("events", "")) for entry in facts["lists"])
    return UnitTree(generation, facts["title"], tuple(groups), lists)
