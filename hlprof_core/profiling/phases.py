"""When the hardware units are armed: the automatic phases, decided from acquire, release and the numbers of launches and copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from hlprof_core.config.invocation_range import InvocationRange
from hlprof_core.config.schema import DEFAULT_PHASE, DEVICE_ACQ, ENQ, MEM, MULTI_ENQ, PROFILE_API
from hlprof_core.errors import ConfigInvalid

if TYPE_CHECKING:
    from hlprof_core.config.document import ProfConfig
    from hlprof_core.profiling.capture import Launch
    from hlprof_core.profiling.hw_trace import HwTrace

LAUNCH, COPY = "launch", "memcpy"


class Phase(Protocol):
    """Told what happens; starts and stops captures.

    ``starts_with``: whether a capture begins with that enqueue; the device is idle then, so that nothing older is in it.
    ``enqueue_starting`` returns whether the enqueue must run by itself.
    """

    def device_acquired(self, trace: HwTrace, now_ns: int) -> None: ...

    def starts_with(self, trace: HwTrace, kind: str, number: int) -> bool: ...

    def enqueue_starting(self, trace: HwTrace, kind: str, number: int, now_ns: int) -> bool: ...

    def enqueue_issued(self, trace: HwTrace, kind: str, number: int, launch: Launch | None, now_ns: int) -> None: ...

    def device_released(self, trace: HwTrace, now_ns: int) -> None: ...


class ApiPhase:
    """Nothing by itself: the program starts sessions."""

    def device_acquired(self, trace: HwTrace, now_ns: int) -> None:
        pass

    def starts_with(self, trace: HwTrace, kind: str, number: int) -> bool:
        return False

    def enqueue_starting(self, trace: HwTrace, kind: str, number: int, now_ns: int) -> bool:
        return False

    def enqueue_issued(self, trace: HwTrace, kind: str, number: int, launch: Launch | None, now_ns: int) -> None:
        pass

    def device_released(self, trace: HwTrace, now_ns: int) -> None:
        trace.stop(now_ns)


class DeviceAcquirePhase(ApiPhase):
    """One capture from acquire to release."""

    def device_acquired(self, trace: HwTrace, now_ns: int) -> None:
        trace.start("", now_ns)


class EachEnqueuePhase(ApiPhase):
    """A capture for each launch (or copy) of the range; each runs by itself, so that its trace can be fetched."""

    def __init__(self, kind: str, numbers: InvocationRange) -> None:
        self.kind, self.numbers = kind, numbers

    def starts_with(self, trace: HwTrace, kind: str, number: int) -> bool:
        return kind == self.kind and number in self.numbers

    def enqueue_starting(self, trace: HwTrace, kind: str, number: int, now_ns: int) -> bool:
        if not self.starts_with(trace, kind, number):
            return False
        trace.start(f"{number:03}", now_ns)
        return True

    def enqueue_issued(self, trace: HwTrace, kind: str, number: int, launch: Launch | None, now_ns: int) -> None:
        if kind == self.kind and number in self.numbers:
            trace.stop(now_ns if launch is None else max(now_ns, launch.end_ns))


class RangePhase(ApiPhase):
    """One capture from the first to the last launch of each span of the range; overlap on the device is kept."""

    def __init__(self, numbers: InvocationRange) -> None:
        self.numbers = numbers
        self._last_end_ns = 0

    def starts_with(self, trace: HwTrace, kind: str, number: int) -> bool:
        return kind == LAUNCH and trace.running is None and number in self.numbers

    def enqueue_starting(self, trace: HwTrace, kind: str, number: int, now_ns: int) -> bool:
        span = self.numbers.span_of(number)
        if span is not None and self.starts_with(trace, kind, number):
            first, last = span
            trace.start(str(last) if first == last else f"{max(1, first)}-{last}", now_ns)
        return False

    def enqueue_issued(self, trace: HwTrace, kind: str, number: int, launch: Launch | None, now_ns: int) -> None:
        span = self.numbers.span_of(number)
        if kind != LAUNCH or span is None or trace.running is None:
            return
        self._last_end_ns = max(self._last_end_ns, now_ns if launch is None else launch.end_ns)
        if number == span[1]:
            trace.stop(self._last_end_ns)


def phase_of(config: ProfConfig) -> Phase:
    """The phase that a configuration asks for."""
    name = config.get("hw.phase")
    if name == PROFILE_API:
        return ApiPhase()
    if name == DEVICE_ACQ:
        return DeviceAcquirePhase()
    numbers = InvocationRange.parse(config.get("hw.range"))
    if name in (DEFAULT_PHASE, MULTI_ENQ):
        return RangePhase(numbers)
    if name in (ENQ, MEM):
        return EachEnqueuePhase(LAUNCH if name == ENQ else COPY, numbers)
    raise ConfigInvalid(config.where, [f"HwTrace.generalOptions.profilePhase: {name!r} is not known"])
