"""Programs that train or run models on the device: plain users of the runtime that know nothing of profiling."""

from hlprof_core.workloads.catalog import WORKLOADS
from hlprof_core.workloads.workload import Option, Program, Published, Workload

__all__ = ["WORKLOADS", "Option", "Program", "Published", "Workload"]
