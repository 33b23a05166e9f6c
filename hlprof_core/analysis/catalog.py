"""Questions a trace can answer: ``run(name, trace)``. Importing this module registers all of them, so who needs one imports just that."""

from hlprof_core.analysis import device as device
from hlprof_core.analysis import exposure as exposure
from hlprof_core.analysis import idle as idle
from hlprof_core.analysis import operations as operations
from hlprof_core.analysis import overlap as overlap
from hlprof_core.analysis import self_time as self_time
from hlprof_core.analysis import steps as steps
from hlprof_core.analysis import utilization as utilization
from hlprof_core.analysis.base import Analysis, analyses, run
from hlprof_core.analysis.result import Result

__all__ = ["Analysis", "Result", "analyses", "run"]
