"""Which generations and units the page of hardware units shows, and what its buttons act on."""

from __future__ import annotations

from hlprof_core.config.unit_tree import GENERATIONS, unit_tree
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel
from hlprof_gui.viewmodels.unit_lists import UnitListViewModel, unit_lists
from hlprof_gui.viewmodels.unit_switches import Count, UnitSwitches


class UnitsViewModel:
    """``shows_all``: every generation, not only the target."""

    def __init__(self, model: ConfigurationViewModel) -> None:
        self._model = model
        self.switches = UnitSwitches(model)
        self.shows_all = False
        self._lists: dict[str, UnitListViewModel] = {}

    @property
    def target(self) -> str:
        return str(self._model.value("hw.arch"))

    @property
    def generations(self) -> tuple[str, ...]:
        """Those in the tree; without a target all of them."""
        return (self.target,) if self.target and not self.shows_all else GENERATIONS

    @property
    def lists(self) -> list[UnitListViewModel]:
        """The lists of monitors and counters of those generations."""
        return unit_lists(self._model, self.generations)

    @property
    def is_tracing(self) -> bool:
        return bool(self._model.value("hw.enable"))

    def switch_tracing(self, on: bool) -> None:
        """The hardware trace as a whole."""
        self._model.set("hw.enable", on)

    @property
    def summary(self) -> str:
        """How much records, over the tree."""
        if not self.is_tracing:
            return "The hardware trace is off: no unit records."
        count = sum((self.switches.total(name) for name in self.generations), Count(0, 0))
        where = unit_tree(self.generations[0]).title if len(self.generations) == 1 else "All generations"
        return f"{where}: {count.text}"

    # -- the buttons ------------------------------------------------------------------------------------------------

    def switch(self, generation: str, group: str, on: bool) -> None:
        """All or none of a group, or of a generation where no group is meant."""
        if group:
            self.switches.set_group(generation, group, on)
        else:
            self.switches.set_generation(generation, on)

    def reset(self, generation: str, group: str) -> None:
        """What is traced without a configuration."""
        if group:
            self.switches.reset_group(generation, group)
        else:
            self.switches.reset_generation(generation)
