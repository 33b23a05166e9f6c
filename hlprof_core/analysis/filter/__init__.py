"""One filter language for search, hiding, dimming, statistics and the command line: ``name:gemm dur>1ms -cat:host``."""

from hlprof_core.analysis.filter.binding import Filter, read_filter
from hlprof_core.analysis.filter.evaluate import FilterEngine, Matched, filter_mask
from hlprof_core.analysis.filter.fields import Field, fields
from hlprof_core.analysis.filter.language import quote

__all__ = ["Field", "Filter", "FilterEngine", "Matched", "fields", "filter_mask", "quote", "read_filter"]
