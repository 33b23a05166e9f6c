"""Which trace units record, counted and switched by unit, group and generation; each switch is one step of history."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum

from msgspec import Struct

from hlprof_core.config.document import ProfConfig
from hlprof_core.config.schema import setting
from hlprof_core.config.unit_tree import UnitGroup, unit_tree
from hlprof_core.device import load_generation
from hlprof_core.errors import ConfigInvalid
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel


class Share(Enum):
    """How much of something records."""

    NONE = "off"
    SOME = "in part"
    ALL = "on"


class Count(Struct, frozen=True):
    """How many units of how many record. A group that lists no units counts as one."""

    on: int
    total: int

    @property
    def share(self) -> Share:
        return Share.NONE if self.on == 0 else Share.ALL if self.on == self.total else Share.SOME

    @property
    def text(self) -> str:
        return f"{self.on} of {self.total} on"

    def __add__(self, other: Count) -> Count:
        return Count(self.on + other.on, self.total + other.total)


def engine_names(generation: str) -> dict[str, str]:
    """The engine behind each trace unit, as a trace calls its row; units of no engine are left out."""
    return {unit: engine.name for engine in load_generation(generation).engines for unit in engine.units}


class UnitSwitches:
    """The switches of every generation upon one document."""

    def __init__(self, model: ConfigurationViewModel) -> None:
        self._model = model

    def group(self, generation: str, name: str) -> UnitGroup:
        """The group of that name."""
        found = unit_tree(generation).group(name)
        assert found is not None, f"{generation} has no group {name}"
        return found

    # -- asking -----------------------------------------------------------------------------------------------------

    def is_on(self, generation: str, group: str, unit: str = "") -> bool:
        """Whether a unit (or a group by itself) records; the default where what is stored cannot be read."""
        return _is_recording(self._model.config, generation, self.group(generation, group), unit)

    def on_units(self, generation: str, group: str) -> frozenset[str]:
        """The units of a group that record."""
        return frozenset(unit for unit in self.group(generation, group).units if self.is_on(generation, group, unit))

    def count(self, generation: str, group: str) -> Count:
        units = self.group(generation, group).units
        if not units:
            return Count(int(self.is_on(generation, group)), 1)
        return Count(len(self.on_units(generation, group)), len(units))

    def total(self, generation: str) -> Count:
        """All units of a generation."""
        return sum((self.count(generation, group.name) for group in unit_tree(generation).groups), Count(0, 0))

    def is_default(self, generation: str, group: str) -> bool:
        """Whether the group records what it would without a configuration."""
        entry = self.group(generation, group)
        count = self.count(generation, group)
        return count.share is (Share.ALL if entry.is_on else Share.NONE)

    # -- switching --------------------------------------------------------------------------------------------------

    def switch_group(self, generation: str, group: str, on: bool) -> None:
        """The class switch alone: units that were taken out of the class stay out when it comes back."""
        entry = self.group(generation, group)
        draft = self._model.config.copy()
        _store_class(draft, generation, entry, on)
        if not on and not entry.is_on:
            # Without a word about the class, a unit that is on by name would go on recording.
            _forget_units(draft, generation, entry, entry.units)
        elif on and not _any_on(draft, generation, entry):
            _forget_units(draft, generation, entry, entry.units)
        self._model.replace(draft, f"Switch {'On' if on else 'Off'} {entry.title}")

    def set_units(self, generation: str, group: str, units: Collection[str], title: str = "") -> None:
        """Exactly these units of a group record; all of them or none is written as the class switch alone."""
        entry = self.group(generation, group)
        draft = self._model.config.copy()
        _store_units(draft, generation, entry, frozenset(units))
        self._model.replace(draft, title or f"Choose Units of {entry.title}")

    def set_unit(self, generation: str, group: str, unit: str, on: bool) -> None:
        """One unit on or off; the first one that is switched on in a class that is off comes alone."""
        chosen = self.on_units(generation, group)
        self.set_units(generation, group, chosen | {unit} if on else chosen - {unit}, f"Switch {'On' if on else 'Off'} {unit}")

    def set_group(self, generation: str, group: str, on: bool) -> None:
        """All units of a group, or none."""
        entry = self.group(generation, group)
        draft = self._model.config.copy()
        _store_all(draft, generation, entry, on)
        self._model.replace(draft, f"Switch {'On' if on else 'Off'} All of {entry.title}")

    def set_generation(self, generation: str, on: bool) -> None:
        """All units of a generation, or none."""
        tree = unit_tree(generation)
        draft = self._model.config.copy()
        for entry in tree.groups:
            _store_all(draft, generation, entry, on)
        self._model.replace(draft, f"Switch {'On' if on else 'Off'} All Units of {tree.title}")

    def reset_group(self, generation: str, group: str) -> None:
        """What the group is without a configuration."""
        entry = self.group(generation, group)
        draft = self._model.config.copy()
        _reset(draft, generation, entry)
        self._model.replace(draft, f"Reset {entry.title}")

    def reset_generation(self, generation: str) -> None:
        tree = unit_tree(generation)
        draft = self._model.config.copy()
        for entry in tree.groups:
            _reset(draft, generation, entry)
        self._model.replace(draft, f"Reset Units of {tree.title}")


def _store_units(draft: ProfConfig, generation: str, group: UnitGroup, units: frozenset[str]) -> None:
    if not units or len(units) == len(group.units):
        _store_all(draft, generation, group, bool(units))
        return
    _store_class(draft, generation, group, True)
    off = [unit for unit in group.units if unit not in units]
    _forget_units(draft, generation, group, units)
    for unit in off:
        draft.set(_unit_id(generation, group, unit), False)


def _store_all(draft: ProfConfig, generation: str, group: UnitGroup, on: bool) -> None:
    _store_class(draft, generation, group, on)
    _forget_units(draft, generation, group, group.units)


def _store_class(draft: ProfConfig, generation: str, group: UnitGroup, on: bool) -> None:
    draft.set(f"units.{generation}.{group.name}", on)


def _reset(draft: ProfConfig, generation: str, group: UnitGroup) -> None:
    draft.reset(f"units.{generation}.{group.name}")
    _forget_units(draft, generation, group, group.units)


def _forget_units(draft: ProfConfig, generation: str, group: UnitGroup, units: Collection[str]) -> None:
    for unit in units:
        draft.reset(_unit_id(generation, group, unit))


def _is_recording(config: ProfConfig, generation: str, group: UnitGroup, unit: str) -> bool:
    try:
        return config.is_unit_on(generation, group.name, unit)
    except ConfigInvalid:
        return group.is_on


def _any_on(draft: ProfConfig, generation: str, group: UnitGroup) -> bool:
    return not group.units or any(_is_recording(draft, generation, group, unit) for unit in group.units)


def _unit_id(generation: str, group: UnitGroup, unit: str) -> str:
    identity = f"units.{generation}.{group.name}.{unit}"
    return setting(identity).id
