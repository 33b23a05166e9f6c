"""The host side: API calls and the program's own measurements, as far as the configured groups and the sessions let them through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

if TYPE_CHECKING:
    from hlprof_core.config.document import ProfConfig
    from hlprof_core.synapse.shim import ApiCall

CUSTOM_CATEGORY = "custom"


class HostEvent(Struct, frozen=True):
    """One call or measurement. Times in ns of the host clock."""

    name: str
    start_ns: int
    end_ns: int
    thread: str
    category: str
    args: Mapping[str, Any] = field(default_factory=dict)


class HostProfiler:
    """Records while ``is_recording``; a call counts when it began after recording did."""

    def __init__(self, config: ProfConfig) -> None:
        self.is_enabled: bool = config.get("host.enable")
        groups = ("SYNAPSE", "HLTHUNK", "HCCL", "SCAL")
        self._groups = {group: bool(config.get(f"host.api.{group}")) for group in groups}
        self.is_recording = self.is_enabled and not config.get("host.start_disabled")
        self._since_ns = 0
        self.events: list[HostEvent] = []

    def start(self, now_ns: int) -> None:
        """Begin to record, for a session."""
        if self.is_enabled:
            self.is_recording, self._since_ns = True, now_ns

    def stop(self) -> None:
        """End recording, for a session."""
        self.is_recording = False

    def record_call(self, call: ApiCall) -> HostEvent | None:
        """Keep a finished call; None when it is not wanted."""
        if not self.is_recording or call.start_ns < self._since_ns or not self._groups.get(call.group, True):
            return None
        event = HostEvent(call.name, call.start_ns, call.end_ns, call.thread, call.group, call.args)
        self.events.append(event)
        return event

    def record_measurement(self, name: str, start_ns: int, end_ns: int, thread: str, args: Mapping[str, Any]) -> None:
        """A slice of the program's own."""
        if self.is_recording and end_ns >= self._since_ns:
            self.events.append(HostEvent(name, start_ns, end_ns, thread, CUSTOM_CATEGORY, dict(args)))
