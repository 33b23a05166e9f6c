"""Which files a recording becomes, under which names, in which formats."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from hlprof_core.config.place import path_of

if TYPE_CHECKING:
    from hlprof_core.config.document import ProfConfig

TIME_STAMP = "%Y%m%d_%H-%M-%S"
FORMATS = ("hltv", "json", "csv")
MODEL_PCI = "0000:00:00.0"
"""PCI address of the modelled device: it sits in no slot."""


class OutputFile(Struct, frozen=True):
    """``capture``: number of the invocation it holds, None for the merged file."""

    path: Path
    capture: int | None = None
    with_host: bool = False


def session_prefix(config: ProfConfig, wall_s: float) -> str:
    """The session's name; a # in it is replaced by a time stamp at the end."""
    name: str = config.get("session.name")
    if "#" not in name:
        return name
    return f"{name.replace('#', '')}_{time.strftime(TIME_STAMP, time.localtime(wall_s))}"


def merged_files(config: ProfConfig, *, pid: int | str, wall_s: float) -> list[OutputFile]:
    """Files of host and device together: ``<session>[_<time>][_<pid>].<format>``; the process id always in .hltv names."""
    folder = path_of(config.get("session.outdir"))
    prefix = session_prefix(config, wall_s)
    formats = [name for name in FORMATS if config.get(f"merged.{name}")]
    if config.get("output.json_compressed") != "off":
        formats.append("json.gz")
    has_pid = config.get("session.add_pid")
    return [OutputFile(folder / f"{prefix}{f'_{pid}' if has_pid or name == 'hltv' else ''}.{name}") for name in formats]


def hardware_files(config: ProfConfig, labels: Sequence[str], *, device: str, wall_s: float, is_alone: bool = False) -> list[OutputFile]:
    """Files of each invocation: ``<session>_<device>[_<invocation>][_<pci>].<format>``.

    ``is_alone``: no merged file takes the hardware events, so that they get a file even where no format is chosen for invocations.
    """
    folder = path_of(config.get("session.outdir"))
    formats = [name for name in FORMATS if config.get(f"invoc.{name}")]
    if config.get("output.json_compressed") == "all":
        formats.append("json.gz")
    if is_alone and not formats:
        formats = [name for name in FORMATS if config.get(f"merged.{name}")] or ["hltv"]
    prefix = session_prefix(config, wall_s)
    pci = f"_{MODEL_PCI}" if config.get("session.add_pci") else ""
    files = []
    for number, label in enumerate(labels):
        stem = f"{prefix}_{device}{f'_{label}' if label else ''}{pci}"
        files += [OutputFile(folder / f"{stem}.{name}", number) for name in formats]
        if config.get("invoc.hltvWithHost"):
            files.append(OutputFile(folder / f"{stem}_host.hltv", number, with_host=True))
    return files


def unsupported_wishes(config: ProfConfig) -> list[str]:
    """Settings that ask for what a recording of the model does not give, with the reason."""
    asked = [name for name in ("binary", "text", "log", "dbgInfo") if config.get(f"invoc.{name}")]
    found = [f"--invoc {name} writes nothing: the vendor's format is not public; use csv or hltv" for name in asked]
    if config.get("hw.skip_parse"):
        found.append("--skipParse has no effect: the events are decoded at once")
    if config.get("analyzer.enable") and any(config.get(f"analyzer.{name}") for name in ("json", "csv", "xlsx")):
        found.append("--trace-analyzer tables are not written with the trace; make them from the file afterwards")
    lists = [entry for entry, _ in config.differences() if entry.generation and entry.is_own]
    found += [f"--{entry.flags[0]} records nothing: the model has no such counters" for entry in lists]
    return found
