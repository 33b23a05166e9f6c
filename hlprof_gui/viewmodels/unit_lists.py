"""The bracket lists of bus monitors and counters, taken apart into what a form shows and put together again."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from hlprof_core.config.bracket_list import MAX_COUNTERS, MEASUREMENTS, join_groups, parse_bmon, parse_spmu, split_groups
from hlprof_core.config.spmu_event import SpmuEvent, spmu_events
from hlprof_core.config.unit_tree import UnitList, unit_tree
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel

LEAST_MONITORS = 4
"""Monitors that the form offers at least; more when the list names more."""
LONGEST_CYCLES = 1 << 20


class BusMonitors(Struct, frozen=True):
    """``[[monitors][measurements][windows][filters]]``; windows are lengths in cycles, filters address ranges."""

    monitors: tuple[int, ...] = (0,)
    measurements: tuple[str, ...] = MEASUREMENTS
    windows: tuple[str, ...] = ("512", "256")
    filters: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: str) -> BusMonitors:
        """From the text form; ValueError with a text for people."""
        monitors, measurements, windows, filters = split_groups(parse_bmon(text), 4)
        return cls(tuple(int(m) for m in monitors), tuple(measurements), tuple(windows), tuple(filters))

    @property
    def text(self) -> str:
        monitors = [str(m) for m in sorted(set(self.monitors))]
        measurements = [m for m in MEASUREMENTS if m in self.measurements]
        return join_groups([monitors, measurements, list(self.windows), list(self.filters)])

    @property
    def summary(self) -> str:
        """In words."""
        names = {"bw": "bandwidth", "lat": "latency", "out": "outstanding requests"}
        what = ", ".join(names[m] for m in MEASUREMENTS if m in self.measurements) or "nothing"
        where = ", ".join(str(m) for m in self.monitors) or "none"
        return f"Measures {what} with monitor{'s' * (len(self.monitors) != 1)} {where} of each unit."


class Counters(Struct, frozen=True):
    """``[[events][cycles,clear]]``: what is counted, how often it is read, and whether reading starts over at 0."""

    events: tuple[int, ...] = ()
    cycles: int = 2048
    clears: bool = True

    @classmethod
    def read(cls, text: str) -> Counters:
        """From the text form; ValueError with a text for people."""
        events, (cycles, clears) = split_groups(parse_spmu(text), 2)
        return cls(tuple(int(e) for e in events), int(cycles), clears == "on")

    @property
    def text(self) -> str:
        return join_groups([[str(e) for e in self.events], [str(self.cycles), "on" if self.clears else "off"]])

    @property
    def summary(self) -> str:
        n = len(self.events)
        return f"{n} of {MAX_COUNTERS} counters, read every {self.cycles:,} cycles{', then cleared' * self.clears}."

    @property
    def is_full(self) -> bool:
        return len(self.events) >= MAX_COUNTERS


def words_of(text: str) -> tuple[str, ...]:
    """The items of what somebody typed between commas or blanks."""
    return tuple(word for word in re.split(r"[,\s]+", text.strip()) if word)


class UnitListViewModel:
    """One bracket list of one generation, as a setting of the document."""

    def __init__(self, model: ConfigurationViewModel, generation: str, entry: UnitList) -> None:
        self._model = model
        self.generation, self.entry = generation, entry
        self.setting_id = f"units.{generation}.{entry.flag}"
        self.events: tuple[SpmuEvent, ...] = spmu_events(generation, entry.flag) if entry.kind == "spmu" else ()
        """What can be counted, by name; empty where names are not public."""

    @property
    def text(self) -> str:
        """The text form; "" when the option is not set."""
        return str(self._model.value(self.setting_id))

    @property
    def is_set(self) -> bool:
        return self.text != ""

    @property
    def monitors(self) -> BusMonitors:
        return BusMonitors.read(self.text) if self.is_set else BusMonitors()

    @property
    def counters(self) -> Counters:
        return Counters.read(self.text) if self.is_set else Counters()

    @property
    def summary(self) -> str:
        if not self.is_set:
            return "Not set: these units trace without it."
        return self.monitors.summary if self.entry.kind == "bmon" else self.counters.summary

    @property
    def title(self) -> str:
        return self.entry.title

    def event(self, number: int) -> SpmuEvent | None:
        """The event of that id."""
        return next((event for event in self.events if event.id == number), None)

    # -- changes ----------------------------------------------------------------------------------------------------

    def switch(self, on: bool) -> None:
        """Set the option to a sensible start, or take it away."""
        if on and not self.is_set:
            self._store(BusMonitors().text if self.entry.kind == "bmon" else Counters(tuple(e.id for e in self.events[:1])).text)
        elif not on:
            self._model.reset(self.setting_id)

    def type_text(self, text: str) -> str:
        """Take over the text form; returns what is wrong with it, "" when it is good."""
        if not text.strip():
            self._model.reset(self.setting_id)
            return ""
        try:
            plain = parse_bmon(text) if self.entry.kind == "bmon" else parse_spmu(text)
        except ValueError as error:
            return f"{error}."
        self._store(plain)
        return ""

    def set_monitors(self, form: BusMonitors) -> str:
        """Store a form of bus monitors; returns what is wrong with it."""
        return self.type_text(form.text)

    def set_counters(self, form: Counters) -> str:
        """Store a form of counters; returns what is wrong with it."""
        return self.type_text(form.text)

    def choose_event(self, number: int, on: bool) -> None:
        """Count an event, or no longer; a further one than fits is refused."""
        form = self.counters
        if on and number not in form.events and not form.is_full:
            self.set_counters(replace(form, events=(*form.events, number)))
        elif not on:
            self.set_counters(replace(form, events=tuple(e for e in form.events if e != number)))

    def type_events(self, text: str) -> str:
        """Take over event ids as typed; returns what is wrong."""
        words = words_of(text)
        strange = next((word for word in words if not (word.isascii() and word.isdigit())), None)
        if strange is not None:
            return f"{strange!r} is not an event id; write whole numbers."
        return self.set_counters(replace(self.counters, events=tuple(dict.fromkeys(int(word) for word in words))))

    def _store(self, text: str) -> None:
        self._model.set(self.setting_id, text, typing=True)


def unit_lists(model: ConfigurationViewModel, generations: Iterable[str]) -> list[UnitListViewModel]:
    """The lists of some generations."""
    return [UnitListViewModel(model, name, entry) for name in generations for entry in unit_tree(name).lists]
