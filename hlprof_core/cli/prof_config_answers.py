"""What ``hl-prof-config`` answers to questions: what is set, what a run would use, what differs, what an option means."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hlprof_core.config.difference import compare
from hlprof_core.config.document import ProfConfig
from hlprof_core.config.effective import of_a_recorded_run, profiling_asked
from hlprof_core.config.option import PROGRAM
from hlprof_core.config.place import path_of
from hlprof_core.config.request import Request, apply_request, touched_settings
from hlprof_core.config.schema import SETTINGS, all_settings
from hlprof_core.config.templates import templates
from hlprof_core.config.validate import check, unknown_keys, warnings
from hlprof_core.errors import ConfigInvalid, HlprofError, UnknownName, UsageError

TOLD = 30


def remark(lines: list[str]) -> None:
    """Words for people, beside the output."""
    for line in lines:
        print(f"{PROGRAM}: note: {line}", file=sys.stderr)


def remarks_on(config: ProfConfig) -> list[str]:
    """The traps of a document, and what in it is not known here."""
    unknown = unknown_keys(config)
    return warnings(config) + ([f"kept as it is, not known here: {', '.join(unknown)}."] if unknown else [])


def show_current(path: Path) -> None:
    """What is set now."""
    config = ProfConfig.load_if_there(path)
    if config is not None:
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
        print(f" {'*' if entry.id in changed else ' '} {entry.title:36}{entry.kind.tell(value)}")
    for entry in (entry for entry, _ in config.differences() if entry.id.startswith("units.")):
        print(f" * {entry.key.removeprefix('HwTrace.archProfileUnits.'):42}{entry.kind.tell(changed[entry.id])}")
    print("\n * differs from the default.")
    print(f"Change settings with options (`{PROGRAM} --help`); back to the defaults: `{PROGRAM} -e off`.")
    remark(remarks_on(config))


def show_effective(request: Request) -> None:
    """What a run in this environment would use, with the options of this call on top."""
    effective = of_a_recorded_run(os.environ)
    if not profiling_asked(os.environ):
        print("Profiling is off in this environment. With HABANA_PROFILE=1 a run would use:")
    changed = effective.config.copy()
    refuse(apply_request(request, changed))
    touched = touched_settings(request, changed)
    effective = effective.with_changes("this command line", [(entry.id, changed.get(entry.id)) for entry in touched])
    check(effective.config)
    for entry in all_settings().values():
        if entry.generation and not effective.config.is_stored(entry.id):
            continue
        value, origin = effective.config.get(entry.id), effective.origin_of(entry)
        if not (entry.is_advanced and value == entry.default and origin == "default"):
            print(f"{entry.key:60} {entry.kind.tell(value):24} {origin}")
    remark(remarks_on(effective.config))


def refuse(problems: list[str]) -> None:
    """``UsageError`` with all problems in one line, if there are any; of very many the first ones."""
    if problems:
        more = [f"and {len(problems) - TOLD} more"] if len(problems) > TOLD else []
        raise UsageError("; ".join([*problems[:TOLD], *more]) + ".", hint=f"Nothing was written; `{PROGRAM} --help` shows all options.")


def show_difference(config: ProfConfig, name: str) -> None:
    """How ``config`` differs from the defaults, a template or a file, one key a line."""
    if name == "default":
        base = ProfConfig()
    elif name in templates():
        base = templates()[name].config()
    elif (there := ProfConfig.load_if_there(path_of(name))) is not None:
        base = there
        check(base)
    else:
        raise UnknownName("template or file", name, ["default", *templates()], hint=f"`{PROGRAM} --list-templates` lists the templates.")
    found = compare(config, base)
    for difference in found:
        print(f"{difference.key:60} {difference.here:24} {difference.there}")
    remark([f"{config.where} compared with {'the defaults' if name == 'default' else name}: {len(found)} values differ."])


def validate(path: Path) -> None:
    """Check a file; ``HlprofError`` with the lines of what is wrong when the profiler cannot use it, ``ConfigInvalid`` when nobody can."""
    from hlprof_core.config.text_problem import problems_in

    try:
        config = ProfConfig.load(path)
        check(config)
    except ConfigInvalid as error:
        if isinstance(error.__cause__, OSError) or not path.is_file():
            raise
        found = problems_in(path.read_text(encoding="utf-8", errors="replace")) if path.stat().st_size < (1 << 20) else []
        placed = [f"line {p.line}: {p.message}" for p in found if p.severity == "error"]
        raise HlprofError(f"{path}: {'; '.join(placed or error.problems)}.", hint=error.hint) from error
    print(f"{path}: valid.")
    remark(remarks_on(config))


def explain(name: str) -> None:
    """What an option, a setting or a key of the file means."""
    from hlprof_core.config.explanation import explain as explanation

    text = explanation(name)
    if not text:
        names = [flag for entry in SETTINGS for flag in entry.flags] + list(all_settings())
        raise UnknownName("option, setting or key", name, names, hint=f"`{PROGRAM} --help` lists the options.")
    print(text, end="")
