"""Real recordings of workloads beside their estimates: what was counted, what was written, and how far the estimate is off."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from hlprof_core.config.commandline import parse_words
from hlprof_core.config.document import ProfConfig
from hlprof_core.config.request import apply_request
from hlprof_core.device import load_generation
from hlprof_core.profiling import api as profiler
from hlprof_core.profiling.buffer import EVENT_BYTES
from hlprof_core.profiling.estimate import Estimate
from hlprof_core.profiling.recorder import Recorder
from hlprof_core.synapse.runtime import Runtime
from hlprof_core.workloads.command import parse_command
from hlprof_core.workloads.loop import run_iterations

SMALL_FILE = 8192
"""Below that the sizes of gzip streams say more of gzip than of the trace."""


def configured(line: str, folder: Path | None = None) -> ProfConfig:
    """The configuration of a command line; words without a dash, ``id=0`` or ``id=1``, set switches that have no option, and
    ``hw.buffer_bytes=131072`` a buffer smaller than an option can."""
    config = ProfConfig()
    words = line.split()
    switches = [word for word in words if "=" in word and not word.startswith("-")]
    for word in switches:
        name, _, value = word.partition("=")
        config.set(name, int(value) if name == "hw.buffer_bytes" else value == "1")
    request = parse_words([word for word in words if word not in switches])
    assert request.problems == []
    assert apply_request(request, config) == []
    if folder is not None:
        config.set("session.outdir", str(folder))
    return config


@dataclass
class Recorded:
    """What a run of a workload left. ``files``: bytes by the estimate's name for the file."""

    recorder: Recorder
    device_events: int
    lost_events: int
    host_events: int
    launches: int
    needed_bytes: int
    files: Counter[str]

    @property
    def paths(self) -> list[Path]:
        return self.recorder.written


def record_workload(config: ProfConfig, words: str, device: str, chosen: Collection[int] = ()) -> Recorded:
    """Run a workload under the profiler, to the files."""
    command = parse_command(words.split())
    recorder, generation = Recorder(config), load_generation(device)
    runtime = Runtime(generation, plugins=[recorder])
    assert command.iterations is not None
    with profiler.iterations(chosen) if chosen else nullcontext() as steps:
        run_iterations(runtime, command.workload.build(generation, command.values), command.iterations, steps.step if steps else None)
    runtime.finish()
    captures = recorder.hardware.captures if recorder.hardware is not None else []
    device_prefix = f"_{generation.device_prefix}0"
    files: Counter[str] = Counter()
    for path in recorder.written:
        files[pattern_of(path.name, device_prefix, [c.label for c in captures])] += path.stat().st_size
    return Recorded(
        recorder,
        device_events=sum(len(capture.buffer) for capture in captures),
        lost_events=sum(capture.buffer.lost for capture in captures),
        host_events=len(recorder.host.events) + (len(recorder.sessions.sessions) if recorder.host.is_enabled else 0),
        launches=sum(sum(launch.kind == "launch" for launch in capture.launches) for capture in captures),
        needed_bytes=max((EVENT_BYTES * (len(c.buffer) + c.buffer.lost) for c in captures), default=0),
        files=files,
    )


def pattern_of(name: str, device_prefix: str, labels: list[str]) -> str:
    """The estimate's name of a file."""
    if device_prefix not in name:
        return re.sub(r"_\d+(?=\.hltv$)", "_<pid>", name)
    if len(labels) > 1:
        return re.sub(rf"(?<={device_prefix})_({'|'.join(map(re.escape, labels))})(?=[._])", "_<invocation>", name)
    return name


def ratios(found: Estimate, seen: Recorded) -> dict[str, float]:
    """Estimate over recording, by what was compared; 1.0 where both are nothing."""
    pairs: dict[str, tuple[float, float]] = {
        "launches": (found.launches, seen.launches),
        "device events": (found.device_events, seen.device_events),
        "lost events": (found.lost_events, seen.lost_events),
        "host events": (found.host_events, seen.host_events),
        "buffer": (found.buffer_bytes, seen.needed_bytes),
    }
    for name in {*found.file_bytes, *seen.files}:
        estimated, written = found.file_bytes.get(name, 0), seen.files[name]
        if max(estimated, written) > SMALL_FILE * found.file_counts.get(name, 1):
            pairs[name] = (estimated, written)
    return {what: 1.0 if a == b else a / b if b else float("inf") for what, (a, b) in pairs.items()}
