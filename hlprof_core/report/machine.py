"""What this machine has for recording and for looking: each finding with a verdict and what follows from it."""

from __future__ import annotations

import ctypes.util
import importlib
import importlib.metadata
import importlib.resources
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import asdict

from hlprof_core import _kernels, resource
from hlprof_core.units import format_bytes

Verdict = Literal["ok", "missing", "broken", "note"]
PROBE_SECONDS = 30
PACKAGES = ("numpy", "orjson", "isal", "duckdb", "click", "rich", "platformdirs", "msgspec")
WINDOW_PACKAGES = ("PySide6-Essentials", "moderngl")
FONTS = ("Inter-Regular.otf", "Inter-SemiBold.otf", "JetBrainsMono-Regular.ttf")
LIBRARY_FOLDERS = ("/usr/lib/habanalabs", "/usr/local/lib/habanalabs")
OPENGL_PROBE = """
import json, sys
from PySide6.QtWidgets import QApplication
from hlprof_gui.timeline.backend import choose_backend, probe_opengl
app = QApplication(sys.argv[:1])
facts = probe_opengl()
print(json.dumps({"platform": app.platformName(), "renderer": facts.renderer, "version": facts.version, "backend": choose_backend()}))
"""
"""What the window asks itself at its start, in a process of its own."""


class Finding(Struct, frozen=True):
    """``ok``: there and usable; ``missing``: not there, and ``text`` says what that means; ``broken``: hlprof cannot work so."""

    topic: str
    verdict: Verdict
    text: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def examine_machine() -> list[Finding]:
    """Look at everything; takes up to a few seconds, most of it for OpenGL."""
    checks: tuple[Callable[[], Iterator[Finding]], ...] = (
        _system, _packages, _compiled_parts, _driver, _library, _profiling, _window_packages, _display, _opengl, _fonts, _cache,
    )  # fmt: skip
    return [finding for check in checks for finding in check()]


def _system() -> Iterator[Finding]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    python = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    yield Finding("system", "ok", f"{python}, {cores} cores, {format_bytes(memory)} of memory")


def _versions(names: tuple[str, ...]) -> tuple[list[str], list[str]]:
    present, absent = [], []
    for name in names:
        try:
            present.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            absent.append(name)
    return present, absent


def _packages() -> Iterator[Finding]:
    present, absent = _versions(PACKAGES)
    if absent:
        yield Finding("packages", "broken", f"Not installed: {', '.join(absent)}. Install hlprof again.")
    else:
        yield Finding("packages", "ok", ", ".join(present))


def _compiled_parts() -> Iterator[Finding]:
    files = (file.name for file in importlib.resources.files(_kernels).iterdir())
    names = sorted(name.removesuffix(".pyi") for name in files if name.endswith(".pyi"))
    for name in names:
        try:
            importlib.import_module(f"hlprof_core._kernels.{name}")
        except ImportError as error:
            yield Finding("kernels", "broken", f"The compiled part {name!r} cannot be loaded ({error}). Build or install hlprof again.")
            return
    yield Finding("kernels", "ok", f"Compiled parts {', '.join(names)} load.")


def _driver() -> Iterator[Finding]:
    nodes = [*sorted(Path("/dev/accel").glob("accel*")), *sorted(Path("/dev").glob("hl[0-9]*"))]
    is_loaded = Path("/sys/module/habanalabs").is_dir()
    if not is_loaded:
        other = f" ({', '.join(map(str, nodes))} belong to another driver)" if nodes else ""
        yield Finding("Gaudi driver", "missing", f"No habanalabs module is loaded{other}. Workloads run on the device model.")
        return
    if not nodes:
        yield Finding("Gaudi driver", "missing", "The habanalabs module is loaded, but no device node exists: check `hl-smi` and the card.")
        return
    closed = [str(node) for node in nodes if not os.access(node, os.R_OK | os.W_OK)]
    if closed:
        yield Finding("Gaudi driver", "missing", f"No right to use {', '.join(closed)}: join the group that owns it, or run as root.")
    else:
        yield Finding("Gaudi driver", "ok", f"habanalabs with {', '.join(map(str, nodes))}")


def _library() -> Iterator[Finding]:
    places = [Path(folder) / "libSynapse.so" for folder in LIBRARY_FOLDERS]
    found = next((str(p) for p in places if p.is_file()), None) or ctypes.util.find_library("Synapse")
    if found:
        yield Finding("libSynapse", "ok", found)
    else:
        yield Finding("libSynapse", "missing", "The native SynapseAI library is not installed. Recording uses the device model.")
    tool = shutil.which("hl-smi")
    if tool:
        yield Finding("hl-smi", "ok", tool)


def _profiling() -> Iterator[Finding]:
    values = {name: value for name, value in sorted(os.environ.items()) if name.startswith("HABANA_PROF") or name == "HABANA_LOGS"}
    if not values:
        yield Finding("profiling", "note", "No HABANA_PROFILE in the environment: programs started from here are not recorded.")
        return
    text = ", ".join(f"{name}={value}" for name, value in values.items())
    config = values.get("HABANA_PROF_CONFIG")
    if config and not os.path.isfile(os.path.expanduser(config)):
        yield Finding("profiling", "missing", f"{text}; the configuration {config} does not exist. Write it with `hl-prof-config`.")
    else:
        yield Finding("profiling", "ok", text)


def _window_packages() -> Iterator[Finding]:
    present, absent = _versions(WINDOW_PACKAGES)
    if absent:
        yield Finding("window", "missing", f"Not installed: {', '.join(absent)}. The window needs them: pip install 'hlprof[gui]'.")
    else:
        yield Finding("window", "ok", ", ".join(present))


def _display() -> Iterator[Finding]:
    for name in ("WAYLAND_DISPLAY", "DISPLAY"):
        if os.environ.get(name):
            yield Finding("display", "ok", f"{name}={os.environ[name]}")
            return
    yield Finding("display", "missing", "Neither DISPLAY nor WAYLAND_DISPLAY is set: no window opens; `hlprof render` and `report` work.")


def _opengl() -> Iterator[Finding]:
    """In a child process: a broken OpenGL driver may take the whole process with it."""
    if _versions(("PySide6-Essentials",))[1]:
        yield Finding("OpenGL", "missing", "Not examined, the window's packages are not installed.")
        return
    environment = dict(os.environ)
    if not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    try:
        done = subprocess.run(
            [sys.executable, "-c", OPENGL_PROBE], capture_output=True, text=True, timeout=PROBE_SECONDS, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        yield Finding("OpenGL", "missing", f"The probe gave no answer within {PROBE_SECONDS} s; HLPROF_RENDERER=image avoids OpenGL.")
        return
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        reason = (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]
        yield Finding("OpenGL", "missing", f"The probe failed ({reason}); HLPROF_RENDERER=image avoids OpenGL.")
        return
    answer = json.loads(lines[-1])
    drawn = "The timeline is drawn with OpenGL." if answer["backend"] == "opengl" else "The timeline is painted without OpenGL."
    if not answer["renderer"]:
        yield Finding("OpenGL", "missing", f"No OpenGL 3.3 on Qt platform {answer['platform']!r}. {drawn}")
    else:
        verdict: Verdict = "ok" if answer["backend"] == "opengl" else "note"
        yield Finding("OpenGL", verdict, f"{answer['version']} by {answer['renderer']}. {drawn}")


def _fonts() -> Iterator[Finding]:
    absent = [name for name in FONTS if not resource.path("fonts", name).is_file()]
    if absent:
        yield Finding("fonts", "broken", f"Shipped fonts are missing: {', '.join(absent)}. Install hlprof again.")
    else:
        yield Finding("fonts", "ok", f"Shipped fonts {', '.join(FONTS)}")


def _cache() -> Iterator[Finding]:
    from hlprof_core.io import cache

    folder = cache.directory().parent
    present = folder
    while not present.exists():
        present = present.parent
    if not os.access(present, os.W_OK):
        yield Finding("cache", "missing", f"{folder} cannot be written: every trace is read anew.")
        return
    files = [p for p in folder.rglob("*") if p.is_file()] if folder.is_dir() else []
    size = sum(p.stat().st_size for p in files)
    free = shutil.disk_usage(present).free
    yield Finding("cache", "ok", f"{folder}: {len(files)} files, {format_bytes(size)}; {format_bytes(free)} free")
