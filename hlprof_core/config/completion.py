"""Scripts that complete the options of ``hl-prof-config`` in bash, zsh and fish, made from the declarations."""

from __future__ import annotations

import shlex
from typing import Literal

from msgspec import Struct

from hlprof_core.config.option import ACTIONS, DIFF_METAVAR, ESTIMATE_METAVAR, PROGRAM, SHORTHANDS, USUAL_WORKLOAD, dashed, unit_flags
from hlprof_core.config.schema import LIST_FLAGS, SETTINGS, all_settings, list_members
from hlprof_core.config.templates import templates
from hlprof_core.config.unit_tree import GENERATIONS
from hlprof_core.config.value_kind import FOLDER

Rest = Literal["nothing", "file", "folder", "list", "setting"]


class Completion(Struct, frozen=True):
    """``words`` are values to offer; ``rest``: what else may stand there. ``takes_value`` is False for a bare switch.

    ``list``: words joined with commas. ``setting``: words are names, each followed by ``=`` and a value.
    """

    flags: tuple[str, ...]
    help: str
    takes_value: bool
    words: tuple[str, ...] = ()
    rest: Rest = "nothing"


def completions() -> list[Completion]:
    """Every option with what may follow it."""
    found = [_of_action(action.flags, action.metavar, action.help) for action in (*ACTIONS, *SHORTHANDS)]
    found += [Completion((name,), f"Target {name}", takes_value=False) for name in GENERATIONS]
    for flag in LIST_FLAGS:
        found.append(Completion((flag,), f"Formats of --{flag}", True, tuple(list_members(flag)), "list"))
    units = {entry.flags: entry for name in GENERATIONS for entry in unit_flags(name).values()}
    for entry in [*(entry for entry in SETTINGS if entry.flags), *units.values()]:
        rest: Rest = "folder" if entry.kind is FOLDER else "nothing"
        found.append(Completion(entry.flags, entry.title, True, entry.kind.words, rest))
    return found


def _of_action(flags: tuple[str, ...], metavar: str, help_text: str) -> Completion:
    ids = tuple(all_settings())
    options = tuple(flag for entry in SETTINGS for flag in entry.flags)
    words, rest = {
        "": ((), "nothing"),
        "FILE": ((), "file"),
        "TEMPLATE": (tuple(templates()), "nothing"),
        DIFF_METAVAR: (("default", *templates()), "file"),
        ESTIMATE_METAVAR: ((USUAL_WORKLOAD,), "nothing"),
        "KEY": ((*options, *ids), "nothing"),
        "NAME": (ids, "nothing"),
        "NAME=VALUE": (ids, "setting"),
    }.get(metavar, (tuple(metavar.split("|")), "nothing"))
    return Completion(flags, help_text.split(";")[0].rstrip("."), bool(metavar), words, rest)  # type: ignore[arg-type]


def completion_script(shell: str) -> str:
    """The script for ``bash``, ``zsh`` or ``fish``; its first lines say how to use it."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()


def _head(shell: str, place: str) -> str:
    return f"# Completion of {PROGRAM} in {shell}. To use it: {PROGRAM} --completion {shell} > {place}\n"


def _spellings(flags: tuple[str, ...]) -> list[str]:
    """One dash and two."""
    return [spelling for flag in flags for spelling in dict.fromkeys((dashed(flag), f"-{flag}"))]


def _values_by_name() -> dict[tuple[str, ...], list[str]]:
    """Ids of settings by the values they take."""
    found: dict[tuple[str, ...], list[str]] = {}
    for entry in all_settings().values():
        if entry.kind.words:
            found.setdefault(entry.kind.words, []).append(entry.id)
    return found


def _assignments(ids: tuple[str, ...]) -> list[str]:
    """``NAME=VALUE`` for each value that can be named, ``NAME=`` where a person has to go on."""
    return [f"{name}={word}" for name in ids for word in all_settings()[name].kind.words or ("",)]


def _bash() -> str:
    entries = completions()
    cases = []
    for entry in entries:
        if not entry.takes_value:
            continue
        words = shlex.quote(" ".join(entry.words))
        offer = {
            "list": f"_{_NAME}_list {words}",
            "setting": f"compopt -o nospace; COMPREPLY=($(compgen -S = -W {words} -- \"$word\"))",
            "file": f"_{_NAME}_paths -f {words}",
            "folder": f"_{_NAME}_paths -d ''",
            "nothing": f'COMPREPLY=($(compgen -W {words} -- "$word"))',
        }[entry.rest]
        cases.append(f"        {'|'.join(_spellings(entry.flags))}) {offer} ;;")
    for words_of_name, ids in _values_by_name().items():
        cases.append(f"        {'|'.join(ids)}) COMPREPLY=($(compgen -W {shlex.quote(' '.join(words_of_name))} -- \"$word\")) ;;")
    long = " ".join(dashed(flag) for entry in entries for flag in entry.flags)
    single = " ".join(f"-{flag}" for entry in entries for flag in entry.flags)
    place = "~/.local/share/bash-completion/completions/" + PROGRAM
    return _head("bash", place) + _BASH.format(name=_NAME, program=PROGRAM, cases="\n".join(cases), long=long, single=single)


_NAME = PROGRAM.replace("-", "_")
_BASH = """\
_{name}_list() {{
    local chosen=
    case $word in *,*) chosen=${{word%,*}}, ;; esac
    compopt -o nospace
    COMPREPLY=($(compgen -P "$chosen" -W "$1" -- "${{word##*,}}"))
}}

_{name}_paths() {{
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -W "$2" -- "$word"; compgen "$1" -- "$word")
}}

_{name}() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD - 1]}}
    # The shell makes words of their own of "=" and what surrounds it.
    if [ "$word" = "=" ]; then word=
    elif [ "$option" = "=" ]; then option=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    case $option in
{cases}
        *)
            case $word in
            --*) COMPREPLY=($(compgen -W "{long}" -- "$word")) ;;
            -?*) COMPREPLY=($(compgen -W "{single}" -- "$word")) ;;
            *) COMPREPLY=($(compgen -W "{long}" -- "$word")) ;;
            esac ;;
    esac
}}

complete -F _{name} {program}
"""


def _zsh() -> str:
    lines = [f"#compdef {PROGRAM}", _head("zsh", f'"${{fpath[1]}}/_{PROGRAM}"').rstrip(), ""]
    specs = []
    for entry in completions():
        for spelling in _spellings(entry.flags):
            text = _zsh_text(entry.help)
            spec = f"{spelling}[{text}]" if not entry.takes_value else f"{_zsh_equals(spelling)}[{text}]:{_zsh_values(entry)}"
            specs.append(f"    {shlex.quote('*' + spec)}")
    return "\n".join([*lines, "_arguments -S \\", " \\\n".join(specs), ""])


def _zsh_equals(spelling: str) -> str:
    """The value of a long option after = or a blank, that of a short one after a blank."""
    return f"{spelling}=" if len(spelling) > 2 else spelling


def _zsh_values(entry: Completion) -> str:
    words = " ".join(entry.words)
    if entry.rest == "list":
        return f"format:_values -s , format {words}"
    if entry.rest == "setting":
        return f"setting:({' '.join(_assignments(entry.words))})"
    if entry.rest == "file":
        return f"file:{{ compadd -- {words}; _files }}" if words else "file:_files"
    if entry.rest == "folder":
        return "folder:_files -/"
    return f"value:({words})" if words else "value: "


def _zsh_text(text: str) -> str:
    return "".join(f"\\{sign}" if sign in "[]:\\" else sign for sign in text)


def _fish() -> str:
    lines = [_head("fish", f"~/.config/fish/completions/{PROGRAM}.fish").rstrip(), "", f"complete -c {PROGRAM} -f"]
    for entry in completions():
        names = " ".join(f"-s {flag}" if len(flag) == 1 else f"-l {flag} -o {flag}" for flag in entry.flags)
        words = _assignments(entry.words) if entry.rest == "setting" else entry.words
        offer = {
            "list": f"-x -a \"(__fish_append , {' '.join(words)})\"",
            "file": f"-r -F -a {shlex.quote(' '.join(words))}" if words else "-r -F",
            "folder": "-x -a '(__fish_complete_directories)'",
        }.get(entry.rest, f"-x -a {shlex.quote(' '.join(words))}" if words else "-x")
        lines.append(f"complete -c {PROGRAM} {names} -d {shlex.quote(entry.help)}{f' {offer}' if entry.takes_value else ''}")
    return "\n".join(lines) + "\n"
