"""Pictures of the real windows for the documentation: records a DLRM training, opens the trace and looks at it; configures another.

    xvfb-run -a -s "-screen 0 1600x1000x24" .venv/bin/python packaging/screenshots.py [TRACE]

Writes ``timeline-dark.png``, ``details-light.png``, ``configure-dark.png`` and ``configure-light.png`` into ``docs/images``. Without a
display Qt draws off screen.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
WIDTH, HEIGHT = 1440, 900
CONFIGURATION_WIDTH, CONFIGURATION_HEIGHT = 1240, 800
PATIENCE_S = 60


def record(folder: Path) -> Path:
    """A trace of three DLRM iterations, made as the README tells."""
    home = folder / "home"
    environment = os.environ | {"HOME": str(home), "HABANA_PROFILE": "1", "HABANA_PROF_CONFIG": str(home / ".habana" / "prof_config.json")}
    options = ["-e", "off", "--gaudi", "--phase=device-acq", "-b", "256", "-s", "dlrm-profile", "--merged", "json", "--add-pid", "off"]
    for command in (
        [sys.executable, "-m", "hlprof_core.cli.hl_prof_config", *options],
        [sys.executable, "-m", "hlprof_core.workloads", "dlrm", "--iterations", "3"],
    ):
        subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    return folder / "dlrm-profile.json"


def main() -> None:
    """Record, open, look, save."""
    if not os.environ.get("DISPLAY"):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "home").mkdir()
        trace = Path(sys.argv[1]) if len(sys.argv) > 1 else record(folder)
        photograph(trace, folder)
        photograph_configuration(folder)


def photograph(trace: Path, folder: Path) -> None:
    """Open the trace and save both pictures."""
    from PySide6.QtTest import QTest

    from hlprof_core.trace.ranges import TimeRange
    from hlprof_gui.app import Program
    from hlprof_gui.settings import Settings
    from hlprof_gui.state.view_state import Edge, Item, Measure

    program = Program(Settings(folder / "window.ini"), theme="dark", backend="image")
    sys.excepthook = program.hook
    window = program.open_window()
    window.resize(WIDTH, HEIGHT)
    window.open_path(trace)

    def settle(until: Callable[[], bool] = lambda: True) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not until():
            if time.monotonic() > deadline:
                raise SystemExit(f"{trace}: the window is not ready after {PATIENCE_S} s. {window.messages.text}")
            QTest.qWait(10)
        QTest.qWait(300)

    def save(name: str) -> None:
        settle()
        from hlprof_gui.timeline.picture import save_image

        IMAGES.mkdir(parents=True, exist_ok=True)
        save_image(window.grab().toImage(), IMAGES / name)
        sys.stdout.write(f"{IMAGES / name}\n")

    settle(lambda: window.state.trace is not None and window.jobs.is_idle)
    state, opened = window.state, window.state.trace
    if opened is None:
        raise SystemExit(f"{trace}: not opened. {window.messages.text}")
    device = [int(i) for i in range(len(opened.slices)) if opened.tracks[int(opened.slices.track[i])].engine in ("MME", "TPC", "DMA")]
    first = min(int(opened.slices.start_ns[i]) for i in device)
    last = max(int(opened.slices.start_ns[i] + opened.slices.dur_ns[i]) for i in device)
    state.set_window(TimeRange(first - (last - first) // 50, last + (last - first) // 50))
    save("timeline-dark.png")

    window.theme.use("light")
    middle = (first + last) // 2
    engines = [i for i in device if opened.tracks[int(opened.slices.track[i])].engine == "MME"]
    chosen = min(engines, key=lambda i: abs(int(opened.slices.start_ns[i]) - middle))
    start, length = int(opened.slices.start_ns[chosen]), int(opened.slices.dur_ns[chosen])
    state.set_window(TimeRange(start - 2 * length, start + 4 * length))
    state.set_measures([Measure(Edge(start, Item("slice", chosen)), Edge(start + length, Item("slice", chosen)))])
    state.select(Item("slice", chosen), reveal=True)
    save("details-light.png")
    window.close()


def photograph_configuration(folder: Path) -> None:
    """Make a configuration and save two of its pages."""
    from PySide6.QtTest import QTest

    from hlprof_core.config.document import ProfConfig
    from hlprof_gui.app import Program
    from hlprof_gui.settings import Settings
    from hlprof_gui.timeline.picture import save_image

    file = folder / "home" / ".habana" / "prof_config.json"
    os.environ["HOME"] = str(folder / "home")
    config = ProfConfig()
    values = {"hw.arch": "gaudi2", "session.name": "dlrm-profile", "hw.phase": "enq", "hw.range": "3-12", "merged.json": True}
    for setting_id, value in values.items():
        config.set(setting_id, value)
    config.save(file)
    program = Program(Settings(folder / "window.ini"), theme="dark")
    sys.excepthook = program.hook
    window = program.open_configuration(file)
    window.resize(CONFIGURATION_WIDTH, CONFIGURATION_HEIGHT)
    for theme, page in (("dark", "target"), ("light", "when")):
        window.theme.use("dark" if theme == "dark" else "light")
        window.show_page(page)
        deadline = time.monotonic() + PATIENCE_S
        while "Events" not in window.side.estimate.text or not window.jobs.is_idle:
            if time.monotonic() > deadline:
                raise SystemExit(f"No estimate after {PATIENCE_S} s. {window.messages.text}")
            QTest.qWait(20)
        QTest.qWait(300)
        save_image(window.grab().toImage(), IMAGES / f"configure-{theme}.png")
        sys.stdout.write(f"{IMAGES / f'configure-{theme}.png'}\n")
    window.close()


if __name__ == "__main__":
    main()
