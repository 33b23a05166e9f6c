"""Everything a run left behind, ready to be composed and written. No behaviour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from hlprof_core.diagnostics import DiagnosticLog

if TYPE_CHECKING:
    from hlprof_core.config.document import ProfConfig
    from hlprof_core.device import Generation
    from hlprof_core.profiling.capture import Capture
    from hlprof_core.profiling.host_profiler import HostEvent
    from hlprof_core.profiling.session import Session


class Recording(Struct):
    """``base_ns``: wall clock at time 0 of the host clock."""

    generation: Generation
    device_id: int
    config: ProfConfig
    captures: Sequence[Capture] = ()
    host_events: Sequence[HostEvent] = ()
    sessions: Sequence[Session] = ()
    base_ns: int = 0
    log: DiagnosticLog = field(default_factory=DiagnosticLog)

    @property
    def device(self) -> str:
        return f"{self.generation.device_prefix}{self.device_id}"
