"""The ``hl-prof-config`` command: edits the profiler's settings as the vendor's tool does. No heavy imports: it must start at once."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from hlprof_core.cli import prof_config_answers as answers
from hlprof_core.config.commandline import parse_words
from hlprof_core.config.difference import in_short
from hlprof_core.config.document import ProfConfig, default_path
from hlprof_core.config.option import PROGRAM
from hlprof_core.config.place import path_of
from hlprof_core.config.request import Request, apply_request, notes_on, touched_settings
from hlprof_core.config.templates import template, templates
from hlprof_core.config.validate import check, invalid_values
from hlprof_core.errors import HlprofError
from hlprof_core.interruption import ending_at_once
from hlprof_core.outcome import outcome

WINDOW = "hlprof_gui.cli_configure:run"
"""Named here, never imported by the core."""
_WINDOW_PACKAGES = ("PySide6", "moderngl", "hlprof_gui")


def main(words: Sequence[str] | None = None) -> NoReturn:
    """What the words say, or those of the command line, to the end of the process."""
    sys.exit(outcome(PROGRAM, lambda: run(sys.argv[1:] if words is None else words)))


def run(words: Sequence[str]) -> int:
    """Do what the words say; returns the exit code."""
    if not words:
        return bare()
    request = parse_words(words)
    if request.help:
        from hlprof_core.config.help_text import help_text

        print(help_text(request.generation), end="")
        return 0
    if request.version:
        from importlib.metadata import version

        print(f"{PROGRAM} {version('hlprof')}")
        return 0
    answers.refuse(request.problems)
    if request.gui:
        return open_window(path_of(request.config_filename) if request.config_filename else None)
    if not answered(request):
        edit(request)
    return 0


def answered(request: Request) -> bool:
    """Answer a question about settings; False when the request is none."""
    if request.list_templates:
        for entry in templates().values():
            print(f"{entry.name:32}{entry.title}")
    elif request.completion:
        from hlprof_core.config.completion import completion_script

        print(completion_script(request.completion), end="")
    elif request.schema:
        import json

        from hlprof_core.config.json_schema import json_schema

        print(json.dumps(json_schema(), indent=2))
    elif request.explain:
        answers.explain(request.explain)
    elif request.validate:
        path = path_of(request.validate)
        answers.validate(path)
        answers.remark(overflow_note(request, ProfConfig.load(path)))
    elif request.show_effective:
        answers.show_effective(request)
    elif request.show:
        answers.show_current(target_path(request))
    else:
        return False
    return True


def bare() -> int:
    """Without a word: the window where it can be shown, else what is set."""
    is_hidden = os.environ.get("QT_QPA_PLATFORM", "") in ("offscreen", "minimal")
    if not is_hidden and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        try:
            return open_window(None)
        except HlprofError as error:
            answers.remark([str(error)])
    answers.show_current(default_path())
    return 0


def open_window(path: Path | None) -> int:
    """Show the configuration window for a file, None for the user's own; ``HlprofError`` where there can be no window."""
    module_name, _, attribute = WINDOW.partition(":")
    try:
        with ending_at_once(PROGRAM):
            code: int = getattr(importlib.import_module(module_name), attribute)(path)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in _WINDOW_PACKAGES:
            raise
        hint = "Install them: pip install 'hlprof[gui]'."
        raise HlprofError(f"The window needs packages; {error.name} is not installed.", hint=hint) from error
    except ImportError as error:
        hint = "A system library is missing; `hlprof doctor` tells which package has it."
        raise HlprofError(f"The window cannot start: {error}.", hint=hint) from error
    return code


def target_path(request: Request) -> Path:
    return path_of(request.config_filename) if request.config_filename else default_path()


def edit(request: Request) -> None:
    """Apply the request to the file it is meant for, or show what that would give."""
    path = target_path(request)
    earlier = ProfConfig()
    if request.template:
        config = template(request.template).config()
    else:
        config = (ProfConfig.load_if_there(path) if request.edit_existing else None) or ProfConfig()
        earlier = config.copy()
    config.where = str(path)
    answers.refuse(apply_request(request, config))
    check(config)
    if request.print_only:
        print(config.to_json())
    elif request.diff:
        answers.show_difference(config, request.diff)
    elif request.estimate or request.like:
        from hlprof_core.cli.estimate_answer import show_estimate

        show_estimate(config, request.estimate, request.like)
    else:
        config.save(path)
        if not request.edit_existing:
            print(f"Resetting config file {path.absolute()}")
        print(f"Edited file {path.absolute()}")
    sticky = [] if request.diff else sticky_note(request, earlier, config)
    answers.remark([*sticky, *notes_on(request, config), *answers.remarks_on(config), *overflow_note(request, config)])


def overflow_note(request: Request, config: ProfConfig) -> list[str]:
    """The trap that shows only in a count: the planned range does not fit into the trace buffer."""
    if request.print_only or request.diff or request.estimate or request.like:
        return []
    from hlprof_core.cli.estimate_answer import overflow_note as note

    return note(config)


def sticky_note(request: Request, earlier: ProfConfig, config: ProfConfig) -> list[str]:
    """Earlier settings that this call did not name and that go on counting: a forgotten one spoils the next recording."""
    if invalid_values(earlier):
        return []  # some were repaired just now; what is left of the others is in the next note
    named = {entry.id for entry in touched_settings(request, config)}
    before = {entry.id: value for entry, value in earlier.differences()}
    left = [(entry, value) for entry, value in config.differences() if entry.id not in named and before.get(entry.id) == value]
    if not left:
        return []
    return [f"earlier settings still in force: {in_short(left)}; `{PROGRAM} --diff` lists them, -e off starts from the defaults."]
