"""What one option, setting or key of the file means, for ``--explain``."""

from __future__ import annotations

from hlprof_core.config.help_text import flags_text
from hlprof_core.config.option import ACTIONS, SHORTHANDS, dashed, normalize
from hlprof_core.config.schema import LIST_FLAGS, all_settings, list_members
from hlprof_core.config.setting import Setting
from hlprof_core.config.spmu_event import spmu_events
from hlprof_core.config.unit_tree import GENERATIONS, unit_tree


def explain(name: str) -> str:
    """The text for an option in any spelling, an id, a key or the last part of one; "" when nothing has that name."""
    wanted, flag = name.lstrip("-").lower(), normalize(name.lstrip("-"))
    entries = all_settings().values()
    texts = [_of_setting(entry) for entry in entries if flag in map(normalize, entry.flags)]
    texts += [f"{flags_text(a.flags, a.metavar)}\n  {a.help}\n" for a in (*ACTIONS, *SHORTHANDS) if flag in a.flags]
    texts += [_of_list(known) for known in LIST_FLAGS if known == flag]
    texts += [_of_target(generation) for generation in GENERATIONS if generation == flag]
    texts = texts or [_of_setting(entry) for entry in entries if wanted in (entry.id.lower(), entry.key.lower())]
    texts = texts or [_of_setting(entry) for entry in entries if wanted == entry.path[-1].lower()]
    return "\n".join(texts)


def options_text(entry: Setting) -> str:
    """How a setting is given on the command line."""
    if entry.flags:
        return flags_text(entry.flags, entry.kind.metavar)
    if entry.member_of:
        return f"{dashed(entry.member_of[0])} ...,{entry.member_of[1]},..."
    return f"--set {entry.id}={entry.kind.metavar}"


def _of_setting(entry: Setting) -> str:
    default = entry.kind.tell(entry.default)
    known = "  (our own key: the vendor's is not public)" if entry.is_own else ""
    lines = [entry.title, f"  {entry.doc}", f"  Option:  {options_text(entry)}", f"  Id:      {entry.id}"]
    lines += [f"  Key:     {entry.key}{known}", f"  Default: {default}", f"  Since:   {entry.since}"]
    if entry.generation:
        lines.insert(2, f"  Only on: {unit_tree(entry.generation).title}")
        events = spmu_events(entry.generation, entry.path[-1])
        if events:
            lines += ["  Events:", *(f"    {event.id:3}  {event.name:36}{event.doc}" for event in events)]
    return "\n".join(lines) + "\n"


def _of_list(flag: str) -> str:
    members = list_members(flag).items()
    return "\n".join([f"{dashed(flag)} LIST", *(f"  {name:14}{entry.doc}" for name, entry in members)]) + "\n"


def _of_target(generation: str) -> str:
    tree = unit_tree(generation)
    classes = [f"  {group.name:12}{group.title}: {len(group.units) or 'all'} units" for group in tree.groups]
    return "\n".join([f"--{generation}", f"  The target is {tree.title}; its classes of trace units:", *classes]) + "\n"
