"""When a run is recorded: phase, range and buffer of the document, told in plain words."""

from __future__ import annotations

from hlprof_core.config.invocation_range import InvocationRange
from hlprof_core.config.schema import DEFAULT_RANGE, PROFILE_API
from hlprof_gui.viewmodels.configuration import ConfigurationViewModel
from hlprof_gui.viewmodels.recorded_part import PhaseChoice, RangeDrag, RecordedPart, fitting_count, phase_choice, recorded_part, summary

BUFFER_PRESETS = (64, 128, 256, 512, 1024, 2048)
"""Usual sizes, MiB."""
MEBIBYTE = 1 << 20


class WhenViewModel:
    """``shown_launches``: how many the picture has; 0 for as many as the range needs."""

    def __init__(self, model: ConfigurationViewModel) -> None:
        self._model = model
        self.shown_launches = 0
        self._drag: RangeDrag | None = None
        self._drag_count = 0

    # -- phase ------------------------------------------------------------------------------------------------------

    @property
    def phase(self) -> str:
        return str(self._model.value("hw.phase"))

    @property
    def choice(self) -> PhaseChoice:
        return phase_choice(self.phase)

    def choose_phase(self, phase: str) -> None:
        """Host calls follow, as they do on the command line: in the API phase they wait for the program's sessions too."""
        changes = {"hw.phase": phase, "host.start_disabled": phase == PROFILE_API}
        self._model.set_many(changes, f"Record {phase_choice(phase).title}")

    # -- range ------------------------------------------------------------------------------------------------------

    @property
    def range(self) -> InvocationRange:
        return InvocationRange.parse(str(self._model.value("hw.range")))

    @property
    def range_label(self) -> str:
        return "Copies" if self.phase == "mem" else "Launches"

    def type_range(self, text: str) -> str:
        """Take over what was typed; returns what is wrong with it, "" when it is good."""
        try:
            numbers = InvocationRange.parse(text)
        except ValueError as error:
            return f"{error}.".replace("''", "Nothing")
        if numbers.last < 1:
            return "Counting starts at 1: nothing would be recorded."
        self._model.set("hw.range", str(numbers), typing=True)
        return ""

    def reset_range(self) -> None:
        self._model.reset("hw.range")

    @property
    def has_default_range(self) -> bool:
        return str(self.range) == DEFAULT_RANGE

    def start_drag(self, at: int, *, adds: bool, reach: float) -> None:
        """The pointer was pressed at a number of the picture."""
        self._drag_count = self.count
        self._drag = RangeDrag(self.range, at, adds=adds, count=self._drag_count, reach=reach)
        self._model.end_typing()

    def drag_to(self, at: int) -> None:
        """Set the range to what the pointer spans; all moves of one drag are one step of history."""
        if self._drag is not None:
            self._model.set("hw.range", self._drag.move_to(at), typing=True)

    def end_drag(self) -> None:
        self._drag = None
        self._model.end_typing()

    # -- the picture ------------------------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """Launches in the picture; it does not change under a drag."""
        if self._drag is not None:
            return self._drag_count
        if self.shown_launches:
            return self.shown_launches
        return fitting_count(self.range.last if self.choice.has_range else 1)

    @property
    def part(self) -> RecordedPart:
        return recorded_part(self.phase, self.range, self.count)

    def tip(self, number: int) -> str:
        """What becomes of a launch; its copies have its number."""
        what = "Copy" if self.part.lane == "copies" else "Launch"
        is_recorded = self.is_recording and self.part.contains(number)
        if is_recorded and self.part.is_example:
            return f"{what} {number:,}: in a session of the program (an example)"
        return f"{what} {number:,}: {'recorded' if is_recorded else 'not recorded'}"

    @property
    def is_recording(self) -> bool:
        """Whether the hardware trace is on at all."""
        return bool(self._model.value("hw.enable"))

    def records_host(self, number: int) -> bool:
        """Whether the host's calls around that launch are recorded: always, or with the program's sessions."""
        if not self._model.value("host.enable"):
            return False
        if not self._model.value("host.start_disabled"):
            return True
        return self.phase == PROFILE_API and self.part.contains(number)

    @property
    def summary(self) -> str:
        if not self.is_recording:
            return "The hardware trace is off: nothing of the device is recorded."
        beyond = self.range.last > self.count and self.choice.has_range
        return summary(self.phase, self.range) + (" The range goes on beyond the picture." if beyond else "")

    # -- buffer -----------------------------------------------------------------------------------------------------

    @property
    def buffer_mebibytes(self) -> int:
        """The size in whole MiB, rounded up."""
        return -(-int(self._model.value("hw.buffer_bytes")) // MEBIBYTE)

    def set_buffer(self, mebibytes: int) -> None:
        if mebibytes != self.buffer_mebibytes:
            self._model.set("hw.buffer_bytes", mebibytes * MEBIBYTE, typing=True)

    @property
    def buffer_text(self) -> str:
        """How much fits, and what happens when it does not."""
        from hlprof_core.profiling.buffer import EVENT_BYTES

        events = int(self._model.value("hw.buffer_bytes")) // EVENT_BYTES
        amount = f"{events / 1e6:.1f} million" if events >= 1_000_000 else f"{events:,}"
        again = {
            "enq": " It is emptied after each launch.",
            "mem": " It is emptied after each copy.",
        }.get(self.phase, "")
        return (
            f"Holds about {amount} events in the device's memory. When it is full, recording stops: what came first is kept, "
            f"what came later is lost and counted.{again}"
        )
