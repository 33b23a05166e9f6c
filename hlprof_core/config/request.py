"""What a command line asks for, and carrying it into a configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field

from hlprof_core.config.document import ProfConfig
from hlprof_core.config.option import dashed, unit_flags
from hlprof_core.config.schema import setting
from hlprof_core.config.setting import Setting
from hlprof_core.config.unit_tree import GENERATIONS


class Change(Struct, frozen=True):
    """One setting gets a value. ``is_explicit``: it is stored even when it is the default. ``is_reset``: it goes back to the default."""

    setting_id: str
    value: Any = None
    is_explicit: bool = False
    is_reset: bool = False


class UnitChange(Struct, frozen=True):
    """An option of trace units; which setting it means shows when the target is known."""

    flag: str
    word: str

    def entries(self, targets: Sequence[str]) -> list[Setting]:
        """The settings it means for these generations."""
        return [entry for target in targets if (entry := unit_flags(target).get(self.flag)) is not None]


class Request(Struct):
    """What the words ask for; ``changes`` in the order in which they were typed."""

    help: bool = False
    version: bool = False
    list_templates: bool = False
    print_only: bool = False
    show: bool = False
    show_effective: bool = False
    gui: bool = False
    schema: bool = False
    diff: str = ""
    """What to compare with: ``default``, a template or a file; "" for no comparison."""
    estimate: str = ""
    """The workload to estimate for, with its options; "" for no estimate."""
    like: str = ""
    """The earlier trace to estimate from."""
    completion: str = ""
    validate: str = ""
    explain: str = ""
    template: str = ""
    edit_existing: bool = True
    config_filename: str = ""
    changes: list[Change | UnitChange] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    """Names of the options that are no settings, as they were typed."""
    problems: list[str] = field(default_factory=list)

    @property
    def generation(self) -> str:
        """The target named in this call, or ""."""
        named = [change.value for change in self.changes if isinstance(change, Change) and change.setting_id == "hw.arch"]
        return named[-1] or "" if named else ""


_START = ("config-filename", "edit-existing", "use-template")
_QUESTIONS: dict[str, tuple[str, ...]] = {
    "list-templates": (),
    "completion": (),
    "schema": (),
    "explain": (),
    "validate": (),
    "gui": ("config-filename",),
    "show": ("config-filename",),
    "show-effective": ("settings",),
    "print": ("settings", *_START),
    "diff": ("settings", *_START),
    "estimate": ("settings", *_START),
    "like": ("settings", *_START),
}
"""Options that are answered instead of edited, each with what counts beside it."""


def conflicts(request: Request) -> list[str]:
    """Options that do not go together: one of them would be left out without a word."""
    if request.help or request.version:
        return []
    asked = [name for name in request.actions if name in _QUESTIONS and not (name == "estimate" and "like" in request.actions)]
    if len(asked) > 1:
        return [f"{' and '.join(map(dashed, asked))} in one call; ask for one at a time"]
    given = {name: dashed(name) for name in request.actions if name in _START}
    if request.changes:
        given["settings"] = "settings"
    useless = [(question, said) for question in asked for name, said in given.items() if name not in _QUESTIONS[question]]
    return [f"{dashed(question)} has no use for {said}" for question, said in useless]


def apply_request(request: Request, config: ProfConfig) -> list[str]:
    """Carry the changes into ``config``; returns problems, in which case the document must not be written."""
    problems: list[str] = []
    for change in request.changes:
        if isinstance(change, UnitChange):
            targets = _targets(request, config)
            entries = change.entries(targets)
            if not entries:
                owners = {entry.generation: entry.flags[0] for entry in change.entries(GENERATIONS)}
                spelling = dashed(next(iter(owners.values())))
                problems.append(f"{spelling} belongs to {' and '.join(owners)}, but the target is {targets[0]}")
            for entry in entries:
                config.set(entry.id, entry.kind.parse(change.word))
        elif change.is_reset:
            config.reset(change.setting_id)
        else:
            config.set(change.setting_id, change.value, is_explicit=change.is_explicit)
    return problems


def _targets(request: Request, config: ProfConfig) -> Sequence[str]:
    """The generations whose unit options are meant: the target, or all of them while there is none."""
    generation = request.generation or config.get("hw.arch")
    return (generation,) if generation else GENERATIONS


def touched_settings(request: Request, config: ProfConfig) -> list[Setting]:
    """The settings that a request changes in ``config``."""
    found: list[Setting] = []
    for change in request.changes:
        if isinstance(change, UnitChange):
            found += change.entries(_targets(request, config))
        else:
            found.append(setting(change.setting_id))
    return found


def notes_on(request: Request, config: ProfConfig) -> list[str]:
    """What to say once about settings whose key in the vendor's file is not public."""
    touched = touched_settings(request, config)
    keys = list(dict.fromkeys(entry.key for entry in touched if entry.is_own and config.is_stored(entry.id)))
    if not keys:
        return []
    verb = "is" if len(keys) == 1 else "are"
    return [f"{', '.join(keys)} {verb} stored under our own key: the key of the vendor's file is not public."]
