"""Questions a trace can answer: ``analyses.run(name, trace)``. Importing this package registers all of them."""

from hlprof_core.analysis import device, exposure, idle, operations, overlap, self_time, steps, utilization
from hlprof_core.analysis.analyses import Analysis, analyses, run
from hlprof_core.analysis.result import Result

__all__ = ["Analysis", "Result", "analyses", "run"]
