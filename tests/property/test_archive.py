"""A trace of several files holds what each of them holds, and nothing of two files meets."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hlprof_core.io.open import open_trace
from hlprof_core.trace.model import Trace
from tests.property.test_converting import FRAMES, event, told

LAST = {"ph": "i", "ts": 1727000000000900, "pid": 1, "tid": 1, "name": "last"}


def plain(trace: Trace, members: list[str]) -> Counter[str]:
    """All of a trace without the names of the members behind ids."""
    found: Counter[str] = Counter()
    for line, count in told(trace).items():
        for member in members:
            line = line.replace(f"@{member}", "")
        found[line] += count
    return found


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=st.lists(st.lists(event(), max_size=6), min_size=2, max_size=3))
def test_members_are_read_as_if_alone(tmp_path: Path, files: list[list[dict[str, Any]]]) -> None:
    out, alone = io.BytesIO(), Counter[str]()
    names = [f"m{number}.json" for number in range(len(files))]
    with zipfile.ZipFile(out, "w") as archive:
        for name, events in zip(names, files, strict=True):
            text = json.dumps({"traceEvents": [*events, LAST], "stackFrames": FRAMES})
            archive.writestr(name, text)
            (tmp_path / name).write_text(text)
            alone += plain(open_trace(tmp_path / name, use_cache=False), [])
    (tmp_path / "all.zip").write_bytes(out.getvalue())
    together = open_trace(tmp_path / "all.zip", use_cache=False)
    assert plain(together, names) == alone
    assert {label for p in together.processes for label in p.labels} == set(names)
