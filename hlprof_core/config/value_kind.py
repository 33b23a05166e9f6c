"""Kinds of values a setting can have: how people write them on the command line and how the file stores them.

``parse`` reads a word, ``load`` a JSON value, ``store`` gives the JSON value; both readers raise ValueError with a text for people.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from typing import Any

from hlprof_core.config.bracket_list import parse_bmon, parse_spmu
from hlprof_core.config.invocation_range import InvocationRange

ON, OFF = ("on", "true", "1"), ("off", "false", "0")


class ValueKind:
    """Base: any text."""

    metavar = "TEXT"
    words: tuple[str, ...] = ()
    """All values as they are written, where there are few."""

    def parse(self, word: str) -> Any:
        if "\0" in word:
            raise ValueError(f"{word!r} has a zero byte")
        return word

    def load(self, value: Any) -> Any:
        if not isinstance(value, str):
            raise ValueError(f"{value!r} is not text")
        return self.parse(value)

    def store(self, value: Any) -> Any:
        return value

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the stored value, in the form that ``store`` gives."""
        return {"type": "string"}

    def show(self, value: Any) -> str:
        """As it would be written on the command line."""
        return str(value)

    def tell(self, value: Any) -> str:
        """For a person, with its unit; "(none)" for an empty text."""
        return self.show(value) or "(none)"


class SessionName(ValueKind):
    """First part of the file names."""

    metavar = "NAME"

    def parse(self, word: str) -> str:
        if not word or "/" in word or "\0" in word or word in (".", ".."):
            raise ValueError(f"{word!r} is not a file name prefix; the folder goes into --output-dir")
        return word


class Folder(ValueKind):
    metavar = "DIR"

    def parse(self, word: str) -> str:
        if not word or "\0" in word:
            raise ValueError(f"{word!r} is not a folder")
        return word


class OnOff(ValueKind):
    metavar = "on|off"
    words = ("on", "off")

    def parse(self, word: str) -> bool:
        if word.lower() in ON:
            return True
        if word.lower() in OFF:
            return False
        raise ValueError(f"{word!r} is neither on nor off")

    def load(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, (str, int)):
            return self.parse(str(value))
        raise ValueError(f"{value!r} is neither true nor false")

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}

    def show(self, value: Any) -> str:
        return "on" if value else "off"


class Choice(ValueKind):
    """One of ``names``; ``aliases`` are other spellings. ``nothing``: what "" means, where that is the default."""

    def __init__(self, names: tuple[str, ...], aliases: Mapping[str, str] | None = None, *, nothing: str = "(none)") -> None:
        self.nothing = nothing
        self.names = self.words = names
        self._known = {n.lower(): n for n in names} | {k.lower(): v for k, v in (aliases or {}).items()}
        self.metavar = "|".join(names)

    def parse(self, word: str) -> str:
        found = self._known.get(word.lower())
        if found is None:
            near = difflib.get_close_matches(word.lower(), list(self._known), n=1, cutoff=0.5)
            guess = f"did you mean {self._known[near[0]]}? " if near else ""
            raise ValueError(f"{word!r} is not known; {guess}known are {', '.join(self.names)}")
        return found

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.names)}

    def tell(self, value: Any) -> str:
        return str(value) or self.nothing


class Mebibytes(ValueKind):
    """A size given in MiB, or as the file stores it: hexadecimal bytes. The value is bytes."""

    metavar = "MB"
    LIMIT = 1 << 46

    def parse(self, word: str) -> int:
        if word[:2].lower() == "0x":
            return self.load(word)
        if not re.fullmatch(r"[0-9]{1,9}", word) or int(word) == 0:
            raise ValueError(f"{word!r} is not a size; write whole MiB, for example 256")
        if int(word) << 20 > self.LIMIT:
            raise ValueError(f"{word!r} is too much; at most {self.LIMIT >> 20} MiB can be set")
        return int(word) << 20

    def load(self, value: Any) -> int:
        size = -1
        if isinstance(value, int) and not isinstance(value, bool):
            size = value
        elif isinstance(value, str) and re.fullmatch(r"0[xX][0-9a-fA-F]{1,14}|[0-9]{1,15}", value):
            size = int(value, 0)
        if not 0 < size <= self.LIMIT:
            raise ValueError(f"{value!r} is not a buffer size; the file holds hexadecimal bytes, for example 0x10000000 for 256 MiB")
        return size

    def store(self, value: Any) -> str:
        return hex(value)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": "^0[xX]0*[1-9a-fA-F][0-9a-fA-F]*$"}

    def show(self, value: Any) -> str:
        return str(value >> 20) if value % (1 << 20) == 0 else hex(value)

    def tell(self, value: Any) -> str:
        return f"{value >> 20} MiB" if value % (1 << 20) == 0 else f"{value} bytes"


class Checked(ValueKind):
    """A text that a function checks and brings into its plain form."""

    def __init__(self, metavar: str, check: Callable[[str], str]) -> None:
        self.metavar = metavar
        self._check = check

    def parse(self, word: str) -> str:
        return self._check(word)


class Number(ValueKind):
    metavar = "N"

    def parse(self, word: str) -> int:
        if not re.fullmatch(r"-?[0-9]{1,18}", word):
            raise ValueError(f"{word!r} is not a whole number")
        return int(word)

    def load(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError(f"{value!r} is not a whole number")
        return self.parse(str(value))

    def schema(self) -> dict[str, Any]:
        return {"type": "integer"}


TEXT, ON_OFF, NUMBER, MEBIBYTES = ValueKind(), OnOff(), Number(), Mebibytes()
ON_OFF_ALL = Choice(("off", "on", "all"), {**dict.fromkeys(ON, "on"), **dict.fromkeys(OFF, "off")})
SESSION_NAME, FOLDER = SessionName(), Folder()
RANGE = Checked("A-B[,C-D]", lambda word: str(InvocationRange.parse(word)))
BMON = Checked("'[[MONITORS][bw,lat,out][WINDOWS][FILTERS]]'", parse_bmon)
SPMU = Checked("'[[EVENTS][CYCLES,on|off]]'", parse_spmu)
