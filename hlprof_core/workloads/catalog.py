"""The workloads there are, by name."""

from __future__ import annotations

from hlprof_core.registry import Registry
from hlprof_core.workloads.dlrm import DLRM
from hlprof_core.workloads.workload import Workload

WORKLOADS: Registry[Workload] = Registry("workload")
WORKLOADS.add(DLRM.name, DLRM)
