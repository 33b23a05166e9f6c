"""How long HolisticTraceAnalysis takes to load a trace: run in the environment it is installed in, with the name of the trace."""

import json
import logging
import resource
import sys
import time

logging.disable(logging.CRITICAL)
from hta.common.trace import Trace  # noqa: E402 -- it logs while it is imported

before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
start = time.perf_counter()
trace = Trace(trace_files={0: sys.argv[1]})
trace.parse_traces(use_multiprocessing=False)
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
sys.stdout.write(json.dumps({"load_s": seconds, "slices": len(trace.get_trace(0)), "peak_bytes": peak}) + "\n")
