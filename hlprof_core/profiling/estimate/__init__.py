"""What a configuration will record, before it does: from the device model's program or from an earlier trace."""

from hlprof_core.profiling.estimate.estimate import Estimate
from hlprof_core.profiling.estimate.like import estimate_like

__all__ = ["Estimate", "estimate_like"]
