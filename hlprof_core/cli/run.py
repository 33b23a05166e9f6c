"""``hlprof run``: a program under the profiler, then the list of what it left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

import click

from hlprof_core.config.document import ProfConfig
from hlprof_core.config.effective import CONFIG, PROFILE, of_a_recorded_run
from hlprof_core.config.place import path_of
from hlprof_core.config.unit_tree import GENERATIONS
from hlprof_core.config.validate import check
from hlprof_core.errors import HlprofError, UsageError

DEVICE_VARIABLE = "HLPROF_DEVICE"
WORKLOADS_MODULE = "hlprof_core.workloads"
Files = dict[Path, tuple[int, int]]


@click.command()
@click.option("--device", type=click.Choice(GENERATIONS), help="Generation of the model the program runs on.")
@click.option("--config", "config_file", metavar="FILE", help="Configuration instead of the one in ~/.habana.")
@click.option("-o", "--output-dir", metavar="DIR", help="Where the traces go.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def run(device: str | None, config_file: str | None, output_dir: str | None, command: Sequence[str]) -> int:
    """Run a program under the profiler: hlprof run [OPTIONS] -- COMMAND...

    The configuration (hl-prof-config) says what is recorded. Prints the paths of the traces; the exit code is that of the program.
    """
    config = chosen_config(config_file)
    if device:
        config.set("hw.arch", device)
    if output_dir:
        config.set("session.outdir", output_dir)
    check(config)
    warn_of_overflow(config, command, device)
    folder = path_of(config.get("session.outdir"))
    before = traces_in(folder, config)
    with tempfile.TemporaryDirectory(prefix="hlprof-") as scratch:
        path = Path(scratch) / "prof_config.json"
        config.save(path)
        environment = {**os.environ, PROFILE: "1", CONFIG: str(path)}
        if device:
            environment[DEVICE_VARIABLE] = device
        code = run_program(command, environment)
    after = traces_in(folder, config)
    written = sorted(path for path, state in after.items() if before.get(path) != state)
    for path in written:
        print(path)
    if not written and code == 0:
        place = "the working folder" if folder == Path() else folder
        raise HlprofError(
            f"{command[0]} ended well, but left no trace in {place}.",
            hint="Does it use the device, and does the configuration record it? `hl-prof-config --show-effective` tells.",
        )
    return code


def warn_of_overflow(config: ProfConfig, command: Sequence[str], device: str | None) -> None:
    """Tell before the run what would be lost of it; of the programs, only the workloads can be counted."""
    words = list(command)
    if WORKLOADS_MODULE not in words:
        return
    from hlprof_core.cli.estimate_answer import overflow_of

    for line in overflow_of(config, words[words.index(WORKLOADS_MODULE) + 1 :], device):
        print(f"hlprof run: note: {line}", file=sys.stderr)


def chosen_config(config_file: str | None) -> ProfConfig:
    """The named file, or what the environment of a profiled run would use."""
    if config_file:
        return ProfConfig.load(path_of(config_file))
    return of_a_recorded_run(os.environ).config


def traces_in(folder: Path, config: ProfConfig) -> Files:
    """Files of the configured session with their time and size."""
    prefix = config.get("session.name").partition("#")[0]
    if not folder.is_dir():
        return {}
    found: Files = {}
    for path in folder.iterdir():
        if path.name.startswith(prefix) and path.is_file():
            state = path.stat()
            found[path] = (state.st_mtime_ns, state.st_size)
    return found


def run_program(command: Sequence[str], environment: dict[str, str]) -> int:
    """Run to the end; signals to us go to the program. Returns its exit code, 128 + n when signal n killed it."""
    sys.stdout.flush()
    try:
        program = subprocess.Popen(list(command), env=environment)
    except OSError as error:
        raise UsageError(f"Cannot run {command[0]}: {error.strerror or error}.", hint="Write: hlprof run -- COMMAND...") from error

    def forward(number: int, frame: FrameType | None) -> None:
        del frame
        program.send_signal(number)

    # The terminal sends Ctrl-C to both; the program decides what it means, we only wait.
    previous = {signal.SIGTERM: signal.signal(signal.SIGTERM, forward), signal.SIGINT: signal.signal(signal.SIGINT, signal.SIG_IGN)}
    try:
        code = program.wait()
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    return 128 - code if code < 0 else code
