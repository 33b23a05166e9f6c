"""The filter language as a tree: words, ``field op value`` terms, ``-``, ``or``, parentheses. Knows neither fields nor traces.

    filter  := all ("or" all)*          all := part ("and"? part)*
    part    := ("-" | "not") part  |  "(" filter ")"  |  field op value ("," value)*  |  word
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from msgspec import Struct

from hlprof_core.errors import FilterInvalid

OPERATORS = ("!=", "<=", ">=", "==", ":", "=", "<", ">")
_FIELD = re.compile(
    r'(?P<name>[A-Za-z_]\w*)(?:\.(?P<key>(?:"(?:[^"\\]|\\.)*"|[^\s:=<>!"()])+))?(?P<space>\s*)(?P<op>!=|<=|>=|==|:(?!:)|=|<|>)'
)
_KEYWORD = re.compile(r"(or|and|not)(?=[\s(]|$)|\|(?=\s|$)", re.IGNORECASE)
DEEPEST = 100
"""Parentheses within parentheses; deeper is refused."""


class Value(Struct, frozen=True):
    """One value of a term; a quoted one is never read as a range."""

    text: str
    start: int
    end: int
    is_quoted: bool = False


class Word(Struct, frozen=True):
    """A plain word."""

    text: str
    start: int
    end: int


class Term(Struct, frozen=True):
    """``name.key op values``; ``key`` is "" for a field without one. Several values mean any of them."""

    name: str
    key: str
    op: str
    values: tuple[Value, ...]
    start: int
    name_end: int


class Not(Struct, frozen=True):
    inner: Node


class All(Struct, frozen=True):
    parts: tuple[Node, ...]


class Any(Struct, frozen=True):
    parts: tuple[Node, ...]


Node = Word | Term | Not | All | Any


def parse(text: str, fields: Collection[str] = ()) -> Node | None:
    """The tree of a filter, None for an empty one. ``fields`` may stand apart from their operator: ``dur > 1ms``."""
    reader = _Reader(text, fields)
    if reader.at_end():
        return None
    tree = reader.read_any()
    if not reader.at_end():
        raise reader.error("There is no '(' for this ')'.", reader.at, 1, "Remove it, or put the text into quotes to search for it.")
    return tree


def unquote(text: str) -> str:
    """The text between quotes as it is meant: ``\\"`` and ``\\\\`` stand for the sign itself."""
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def quote(text: str) -> str:
    """The text in a form that the language reads as one value or word."""
    is_plain = re.fullmatch(r"[\w./+#@%&~;$-]+", text) and text[0] != "-" and ".." not in text and not _KEYWORD.fullmatch(text)
    return text if is_plain else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _Reader:
    def __init__(self, text: str, fields: Collection[str]) -> None:
        self.text, self.at, self.depth = text, 0, 0
        self.fields = fields

    def error(self, problem: str, position: int, length: int = 0, hint: str = "") -> FilterInvalid:
        return FilterInvalid(problem, text=self.text, position=position, length=length, hint=hint)

    def at_end(self) -> bool:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.at >= len(self.text)

    def keyword(self) -> str:
        """``or``, ``and``, ``not`` at this place, else ""."""
        found = _KEYWORD.match(self.text, self.at)
        if found is None:
            return ""
        return "or" if found[0] == "|" else found[0].lower()

    def skip_keyword(self) -> None:
        found = _KEYWORD.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def read_any(self) -> Node:
        parts = [self.read_all()]
        while not self.at_end() and self.keyword() == "or":
            self.skip_keyword()
            parts.append(self.read_all())
        return parts[0] if len(parts) == 1 else Any(tuple(parts))

    def read_all(self) -> Node:
        parts = [self.read_part()]
        while not self.at_end() and self.text[self.at] != ")" and self.keyword() != "or":
            if self.keyword() == "and":
                self.skip_keyword()
            parts.append(self.read_part())
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def read_part(self) -> Node:
        if self.at_end():
            raise self.error("Something is missing here.", len(self.text), hint="Write a word or field:value.")
        start, sign, keyword = self.at, self.text[self.at], self.keyword()
        if sign == ")":
            raise self.error("Something is missing before this ')'.", start, 1, "Write a word or field:value.")
        if keyword in ("or", "and"):
            length = len(keyword) if sign != "|" else 1
            problem = f"Something is missing before {self.text[start : start + length]!r}."
            raise self.error(problem, start, length, "To search for it, quote it.")
        if keyword == "not" or (sign == "-" and self.text[start + 1 : start + 2].strip()):
            self.at += len(keyword) or 1
            return Not(self.nested(self.read_part, start))
        if sign == "(":
            self.at += 1
            inner = self.nested(self.read_any, start)
            if self.at_end():
                raise self.error("This '(' is never closed.", start, 1, "Add a ')'.")
            self.at += 1
            return inner
        return self.read_term() or self.read_word()

    def nested(self, read: Callable[[], Node], start: int) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"More than {DEEPEST} signs are nested here.", start, 1, "Write the filter in a simpler way.")
        node = read()
        self.depth -= 1
        return node

    def read_term(self) -> Term | None:
        found = _FIELD.match(self.text, self.at)
        if found is None or (found["space"] and found["name"].lower() not in self.fields):
            return None
        start, self.at = self.at, found.end()
        raw = found["key"] or ""
        key = "".join(unquote(quoted) if quoted else plain for quoted, plain in re.findall(r'"((?:[^"\\]|\\.)*)"|([^"]+)', raw))
        values = [self.read_value(found)]
        while self.text[self.at : self.at + 1] == ",":
            self.at += 1
            values.append(self.read_value(found))
        return Term(found["name"].lower(), key, found["op"], tuple(values), start, found.end("name"))

    def read_value(self, field: re.Match[str]) -> Value:
        is_missing = self.at_end()
        if not is_missing and self.text[self.at] == '"':
            start = self.at
            return Value(self.quoted(), start, self.at, is_quoted=True)
        start = self.at
        text = "" if is_missing else self.run(stops=",")
        if not text:
            problem = f"A value is missing after {field[0].strip()!r}."
            raise self.error(problem, min(start, len(self.text)), hint="For example dur>1ms or name:gemm.")
        return Value(text, start, self.at)

    def read_word(self) -> Word:
        start = self.at
        if self.text[start] == '"':
            return Word(self.quoted(), start, self.at)
        return Word(self.run(), start, self.at)

    def quoted(self) -> str:
        start = self.at
        found = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL).match(self.text, start)
        if found is None:
            raise self.error("This quote is never closed.", start, 1, 'Add a ".')
        self.at = found.end()
        return unquote(found[1])

    def run(self, stops: str = "") -> str:
        """Signs up to a blank, one of ``stops``, or a ``)`` that was opened outside; parentheses within belong to the text."""
        start, open_ = self.at, 0
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign.isspace() or sign in stops or (sign == ")" and not open_):
                break
            open_ += (sign == "(") - (sign == ")")
            self.at += 1
        return self.text[start : self.at]
