"""The ``hl-prof-config`` command: edits the profiler's settings as the vendor's tool does. No heavy imports: it must start at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from hlprof_core.config.commandline import Request, apply_request, notes_on, parse_words
from hlprof_core.config.document import ProfConfig, default_path
from hlprof_core.config.effective import from_environment
from hlprof_core.config.schema import SETTINGS, all_settings
from hlprof_core.config.templates import template, templates
from hlprof_core.config.validate import check, unknown_keys, warnings
from hlprof_core.config.value_kind import MEBIBYTES
from hlprof_core.errors import UnknownName, UsageError
from hlprof_core.outcome import outcome

PROGRAM = "hl-prof-config"


def main(words: Sequence[str] | None = None) -> NoReturn:
    """Entry point of ``hl-prof-config``."""
    sys.exit(outcome(PROGRAM, lambda: run(sys.argv[1:] if words is None else words)))


def run(words: Sequence[str]) -> int:
    """Do what the words say; returns the exit code."""
    if not words:
        show_current(target_path(Request()))
        return 0
    request = parse_words(words)
    if request.help:
        from hlprof_core.config.help_text import help_text

        print(help_text(request.generation), end="")
        return 0
    if request.version:
        from importlib.metadata import version

        print(f"{PROGRAM} {version('hlprof')}")
        return 0
    if request.problems:
        raise UsageError("; ".join(request.problems) + ".", hint=f"Nothing was written; `{PROGRAM} --help` shows all options.")
    if request.list_templates:
        for entry in templates().values():
            print(f"{entry.name:32}{entry.title}")
        return 0
    if request.explain:
        return explain(request.explain)
    if request.validate:
        return validate(Path(request.validate).expanduser())
    if request.show_effective:
        show_effective()
        return 0
    return edit(request)


def target_path(request: Request) -> Path:
    return Path(request.config_filename).expanduser() if request.config_filename else default_path()


def edit(request: Request) -> int:
    """Apply the request to the file it is meant for."""
    path = target_path(request)
    chosen = template(request.template) if request.template else None
    if chosen is not None:
        config = chosen.config()
    elif request.edit_existing and path.exists():
        config = ProfConfig.load(path)
    else:
        config = ProfConfig()
    config.where = str(path)
    problems = apply_request(request, config)
    if problems:
        raise UsageError("; ".join(problems) + ".", hint=f"Nothing was written; `{PROGRAM} --help` shows all options.")
    check(config)
    if request.print_only:
        print(config.to_json())
    else:
        config.save(path)
        if not request.edit_existing:
            print(f"Resetting config file {path.absolute()}")
        print(f"Edited file {path.absolute()}")
    remarks(notes_on(request, config) + warnings(config) + unknown_remarks(config))
    return 0


def remarks(lines: list[str]) -> None:
    for line in lines:
        print(f"{PROGRAM}: note: {line}", file=sys.stderr)


def unknown_remarks(config: ProfConfig) -> list[str]:
    unknown = unknown_keys(config)
    return [f"kept as it is, not known here: {', '.join(unknown)}."] if unknown else []


def show_current(path: Path) -> None:
    """What is set now, for somebody who typed the bare command."""
    if path.exists():
        config = ProfConfig.load(path)
        check(config)
        print(f"Settings in {path}:")
    else:
        config = ProfConfig()
        print(f"No settings in {path}: the defaults are in force.")
    changed = {entry.id: value for entry, value in config.differences()}
    for entry in SETTINGS:
        if entry.is_advanced and entry.id not in changed:
            continue
        value = changed.get(entry.id, entry.default)
        shown = entry.kind.show(value) if value != "" else "(the device that is there)" if entry.id == "hw.arch" else "(none)"
        mark = "*" if entry.id in changed else " "
        print(f" {mark} {entry.title:36}{shown}{' MiB' if entry.kind is MEBIBYTES else ''}")
    units = [entry for entry, _ in config.differences() if entry.generation and entry.id.startswith("units.")]
    for entry in units:
        print(f" * {entry.key.removeprefix('HwTrace.archProfileUnits.'):42}{entry.kind.show(changed[entry.id])}")
    print("\n * differs from the default.")
    print("Change settings with options (`hl-prof-config --help`); back to the defaults: `hl-prof-config -e off`.")
    remarks(warnings(config) + unknown_remarks(config))


def show_effective() -> None:
    """What a run in this environment would use."""
    effective = from_environment(os.environ)
    if effective is None:
        print("Profiling is off in this environment. With HABANA_PROFILE=1 a run would use:")
        effective = from_environment({**os.environ, "HABANA_PROFILE": "1"})
        assert effective is not None
    config = effective.config
    check(config)
    for entry in all_settings().values():
        if entry.generation and not config.is_stored(entry.id):
            continue
        value = config.get(entry.id)
        if entry.is_advanced and value == entry.default:
            continue
        print(f"{entry.key:60} {entry.kind.show(value) if value != '' else '-':24} {effective.origin_of(entry)}")
    remarks(warnings(config) + unknown_remarks(config))


def validate(path: Path) -> int:
    """Check a file; 0 when the profiler can use it."""
    config = ProfConfig.load(path)
    check(config)
    print(f"{path}: valid.")
    remarks(warnings(config) + unknown_remarks(config))
    return 0


def explain(name: str) -> int:
    from hlprof_core.config.help_text import explain as explanation

    text = explanation(name)
    if text is None:
        names = [flag for entry in SETTINGS for flag in entry.flags] + list(all_settings())
        raise UnknownName("option, setting or key", name, names, hint=f"`{PROGRAM} --help` lists the options.")
    print(text, end="")
    return 0


if __name__ == "__main__":
    main()
