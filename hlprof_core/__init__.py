"""hlprof: configure, record, see and understand what an Intel Gaudi accelerator does while it trains.

``import hlprof_core as hp``; names load on first use, so that importing costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # not from typing: what loads here delays each program's answer to Ctrl+C
if TYPE_CHECKING:
    from typing import Any

    from hlprof_core.analysis import catalog as analyses
    from hlprof_core.analysis.query import query
    from hlprof_core.config.document import ProfConfig
    from hlprof_core.io.open import open_trace
    from hlprof_core.profiling import api as profiler

_LAZY = {
    "open_trace": ("hlprof_core.io.open", "open_trace"),
    "ProfConfig": ("hlprof_core.config.document", "ProfConfig"),
    "profiler": ("hlprof_core.profiling.api", None),
    "analyses": ("hlprof_core.analysis.catalog", None),
    "query": ("hlprof_core.analysis.query", "query"),
}

__all__ = ["ProfConfig", "analyses", "open_trace", "profiler", "query"]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    module_name, attribute = _LAZY[name]
    module = importlib.import_module(module_name)
    return module if attribute is None else getattr(module, attribute)
