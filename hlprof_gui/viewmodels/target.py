"""The choice of the target: cards with facts, and the chip's blocks lit by what records."""

from __future__ import annotations

from msgspec import Struct

from hlprof_core.config.unit_tree import GENERATIONS, UnitGroup, unit_tree
from hlprof_core.device import DEFAULT, Generation, load_generation
from hlprof_gui.state.signal import Signal
from hlprof_gui.viewmodels.chip import Block, blocks
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel
from hlprof_gui.viewmodels.unit_switches import Count, Share, UnitSwitches

COLOURS = {"DMA": 0, "EDMA": 0, "MME": 1, "TPC": 2, "NIC": 3, "PDMA": 8, "KDMA": 6, "SM": 7, "ROT": 4, "VDEC": 10, "FW_events": 9, "CS": 5}
"""Which of the palette's slice colours a group has; those of the engine classes are the timeline's."""
SHORT = {"FW_events": "Firmware", "CS": "Cache", "SM": "Sync", "ROT": "Rotator", "VDEC": "Decoder"}


class Card(Struct, frozen=True):
    """One target to choose; ``value`` is that of the setting."""

    value: str
    title: str
    lines: tuple[str, ...]
    help: str


class LegendEntry(Struct, frozen=True):
    """A group of trace units and how much of it records."""

    group: str
    title: str
    name: str
    count: Count
    colour: int

    @property
    def tip(self) -> str:
        return f"{self.title}: {self.count.text}. Click to switch {'it off' if self.count.on else 'it on'}."


def cards() -> tuple[Card, ...]:
    """The generations, then the device that is there."""
    found = Card(
        "",
        "Auto-detect",
        ("Whichever device", "the program finds"),
        f"Nothing is written into the file. On the model that is {load_generation(DEFAULT).title} unless the run names another.",
    )
    return (*(_card(load_generation(name)) for name in GENERATIONS), found)


def _card(chip: Generation) -> Card:
    nic = len(chip.engines_of("NIC"))
    lines = (
        f"{len(chip.engines_of('TPC'))} TPC · {len(chip.engines_of('MME'))} MME",
        f"{round(chip.value('hbm_bytes')) >> 30} GB · {chip.value('hbm_peak_gbps') / 1000:.2f} TB/s",
        f"{nic} × {chip.value('nic_port_gbps') * 8:.0f} GbE",
        f"{chip.value('process_nm'):.0f} nm · {chip.value('tdp_w'):.0f} W",
    )
    return Card(chip.name, chip.title, lines, chip.note)


class TargetViewModel:
    """``shown`` is the generation of the picture: the target, or without one the last that was looked at."""

    def __init__(self, model: ConfigurationViewModel) -> None:
        self.changed = Signal()
        self._model = model
        self.switches = UnitSwitches(model)
        self._looked_at = DEFAULT
        self._shares: tuple[tuple[str, str], dict[Block, Share]] | None = None
        model.changed.connect(self.changed.emit)

    @property
    def target(self) -> str:
        """The setting: a generation or "" for the device that is there."""
        return str(self._model.value("hw.arch"))

    def choose(self, value: str) -> None:
        """Set the target."""
        if value:
            self._looked_at = value
            self._model.set("hw.arch", value)
        else:
            self._model.reset("hw.arch")

    @property
    def shown(self) -> str:
        return self.target or self._looked_at

    def look_at(self, generation: str) -> None:
        """Show another chip while no target is set."""
        if generation != self._looked_at:
            self._looked_at = generation
            self.changed.emit()

    @property
    def caption(self) -> str:
        """What stands over the picture."""
        title = load_generation(self.shown).title
        count = self.switches.total(self.shown)
        if self._model.value("hw.enable") is False:
            return f"{title}: the hardware trace is off, no unit records."
        return f"{title}: {count.on} of {count.total} trace units record. Click a block to switch its group."

    @property
    def is_tracing(self) -> bool:
        """Whether the hardware trace is on at all; without it every block is dim."""
        return bool(self._model.value("hw.enable"))

    def legend(self) -> tuple[LegendEntry, ...]:
        """The groups in the order of the settings."""
        return tuple(
            LegendEntry(g.name, g.title, SHORT.get(g.name, g.name), self.switches.count(self.shown, g.name), COLOURS[g.name])
            for g in unit_tree(self.shown).groups
        )

    def share(self, block: Block) -> Share:
        """How much of a block records."""
        if not block.group or not self.is_tracing:
            return Share.NONE
        if not block.units:
            return Share.ALL if self.switches.is_on(self.shown, block.group) else Share.NONE
        on = sum(self.switches.is_on(self.shown, block.group, unit) for unit in block.units)
        return Count(on, len(block.units)).share

    def shares(self) -> dict[Block, Share]:
        """Of every block of the chip; asked at every paint, so it is worked out once for each document."""
        key = (self._model.json_text, self.shown)
        if self._shares is None or self._shares[0] != key:
            self._shares = (key, {block: self.share(block) for block in blocks(self.shown)})
        return self._shares[1]

    def tip(self, block: Block) -> str:
        """What a block is, how much of it and of its group records, and what a click does."""
        if not block.group:
            figure = f", {block.figure}" if block.figure else ""
            return f"{block.kind}{figure}. It has no switch of its own."
        group = self.switches.group(self.shown, block.group)
        count = self.switches.count(self.shown, block.group)
        lines = [f"{_name(block, group)}: {self.share(block).value}" + (f" ({block.note})" if block.note else "")]
        if group.units:
            lines.append(f"{group.title}: {count.text}")
        lines.append(f"Click: switch the group {'off' if count.on else 'on'}")
        return "\n".join(lines)

    def toggle(self, group: str) -> None:
        """Switch a group off when any of it records, else on."""
        count = self.switches.count(self.shown, group)
        self.switches.switch_group(self.shown, group, count.on == 0)


def _name(block: Block, group: UnitGroup) -> str:
    if not block.units:
        return group.title
    if len(block.units) == 1:
        return block.units[0]
    common = block.units[0].rpartition("_")[0]
    return f"{common} ({len(block.units)} units)"
