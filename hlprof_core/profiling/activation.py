"""Makes the profiler that the environment asks for; the runtime loads this module by name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hlprof_core.config.effective import from_environment
from hlprof_core.config.validate import check, warnings
from hlprof_core.errors import HlprofError
from hlprof_core.profiling.announce import announce
from hlprof_core.profiling.publish import check_outputs
from hlprof_core.profiling.recorder import Recorder

if TYPE_CHECKING:
    from hlprof_core.synapse.shim import Plugin


def plugin_from_environment() -> Plugin | None:
    """The profiler, or None when none is asked for.

    A configuration that cannot be used ends the program before it starts: a run that silently records nothing costs more.
    """
    try:
        effective = from_environment(os.environ)
        if effective is None:
            return None
        check(effective.config)
        check_outputs(effective.config)
        recorder = Recorder(effective.config)
    except HlprofError as error:
        announce(f"cannot profile: {error}")
        raise SystemExit(error.exit_code) from error
    for line in warnings(effective.config):
        announce(f"note: {line}")
    return recorder
