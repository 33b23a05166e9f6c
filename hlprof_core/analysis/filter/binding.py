"""From the tree of a filter to conditions on fields: here names are looked up, values are read, and mistakes get their place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from hlprof_core.analysis.filter import language
from hlprof_core.analysis.filter.condition import HIGHEST, LOWEST, ArgCondition, NumberCondition, TextCondition, number_of
from hlprof_core.analysis.filter.fields import Field, fields
from hlprof_core.analysis.filter.language import Node, Term, Value, Word
from hlprof_core.errors import FilterInvalid, UsageError
from hlprof_core.units import parse_ns

Condition = TextCondition | NumberCondition | ArgCondition
OPERATORS = {
    "text": (":", "=", "==", "!="),
    "id": (":", "=", "!="),
    "choice": (":", "=", "!="),
    "number": (":", "=", "!=", "<", "<=", ">", ">="),
    "time": (":", "=", "!=", "<", "<=", ">", ">="),
    "args": (":", "=", "==", "!=", "<", "<=", ">", ">="),
}
"""Operators of each kind of field."""


class Leaf(Struct, frozen=True):
    """One question about one field."""

    field: str
    condition: Condition


class Opposite(Struct, frozen=True):
    inner: Rule


class Every(Struct, frozen=True):
    parts: tuple[Rule, ...]


class Some(Struct, frozen=True):
    parts: tuple[Rule, ...]


Rule = Leaf | Opposite | Every | Some


class Filter(Struct, frozen=True, dict=True):
    """A filter that was understood. ``rule`` None lets everything through. Equal filters ask the same."""

    text: str
    rule: Rule | None

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """Its questions, each once."""
        return tuple(dict.fromkeys(_leaves(self.rule))) if self.rule is not None else ()

    @property
    def needs_args(self) -> bool:
        """Whether the arguments in the file must be read."""
        return any(leaf.field == "args" for leaf in self.leaves)

    @property
    def is_about_names(self) -> bool:
        """Whether the name of a slice alone decides."""
        return all(leaf.field == "name" for leaf in self.leaves)


def _leaves(rule: Rule) -> Iterator[Leaf]:
    if isinstance(rule, Leaf):
        yield rule
    elif isinstance(rule, Opposite):
        yield from _leaves(rule.inner)
    else:
        for part in rule.parts:
            yield from _leaves(part)


def read_filter(text: str, *, words_in_args: bool = False) -> Filter:
    """Understand a filter, or raise ``FilterInvalid`` with the place. ``words_in_args``: plain words search arguments too."""
    tree = language.parse(text, fields.names())
    return Filter(text, None if tree is None else _Binder(text, words_in_args).bind(tree))


class _Binder:
    def __init__(self, text: str, words_in_args: bool) -> None:
        self.text, self.words_in_args = text, words_in_args

    def error(self, problem: str, start: int, end: int, hint: str = "") -> FilterInvalid:
        return FilterInvalid(problem, text=self.text, position=start, length=end - start, hint=hint)

    def bind(self, node: Node) -> Rule:
        match node:
            case language.Not(inner):
                return Opposite(self.bind(inner))
            case language.All(parts):
                return Every(tuple(self.bind(part) for part in parts))
            case language.Any(parts):
                return Some(tuple(self.bind(part) for part in parts))
            case Word(text):
                named = Leaf("name", TextCondition(":", (text,)))
                return Some((named, Leaf("args", ArgCondition("", ":", (text,))))) if self.words_in_args else named
            case Term():
                return Leaf(node.name, self.condition(node))

    def condition(self, term: Term) -> Condition:
        field = self.field(term)
        operator_at = term.values[0].start
        if term.op not in OPERATORS[field.kind]:
            allowed = ", ".join(OPERATORS[field.kind])
            raise self.error(f"{term.name!r} cannot be compared with {term.op!r}.", term.name_end, operator_at, f"It takes {allowed}.")
        if field.kind in ("number", "time"):
            ranges = tuple(r for value in term.values for r in [self.range(field, term, value)])
            return NumberCondition(ranges, term.op == "!=")
        if field.kind == "args":
            return self.argument(term)
        if field.kind == "choice":
            return TextCondition("!=" if term.op == "!=" else "=", tuple(self.choice(field, value) for value in term.values))
        op = "=" if field.kind == "id" and term.op == ":" else term.op
        return TextCondition(op, tuple(value.text for value in term.values))

    def field(self, term: Term) -> Field:
        if term.name not in fields:
            near = difflib.get_close_matches(term.name, fields.names(), n=2, cutoff=0.5)
            guess = f"Did you mean {' or '.join(near)}?" if near else f"Fields: {', '.join(fields.names())}."
            raise self.error(
                f"No field {term.name!r}.", term.start, term.name_end, f"{guess} To search for the text itself, put it into quotes."
            )
        field = fields.get(term.name)
        if term.key and field.kind != "args":
            hint = f"Write {term.name}{term.op}… ; only args has keys: args.{term.key}{term.op}…"
            raise self.error(f"{term.name!r} has no key {term.key!r}.", term.name_end, term.values[0].start, hint)
        return field

    def choice(self, field: Field, value: Value) -> str:
        for choice in field.choices:
            if choice.casefold() == value.text.casefold():
                return choice
        near = difflib.get_close_matches(value.text.upper(), [c.upper() for c in field.choices], n=1, cutoff=0.5)
        named = [c for c in field.choices if c.upper() in near]
        guess = f"Did you mean {named[0]}? " if named else ""
        raise self.error(f"No {field.name} {value.text!r}.", value.start, value.end, f"{guess}Known are {', '.join(field.choices)}.")

    # -- numbers and times ------------------------------------------------------------------------------------------

    def range(self, field: Field, term: Term, value: Value) -> tuple[int, int]:
        if term.op in (":", "=", "!=") and not value.is_quoted and ".." in value.text:
            first, _, last = value.text.partition("..")
            low = self.number(field, value, first) if first else LOWEST
            high = self.number(field, value, last) if last else HIGHEST
            if low > high:
                raise self.error(f"{value.text!r} ends before it begins.", value.start, value.end, f"Write {last}..{first}.")
            return low, high
        number = self.number(field, value, value.text)
        match term.op:
            case "<":
                return LOWEST, number - 1
            case "<=":
                return LOWEST, number
            case ">":
                return number + 1, HIGHEST
            case ">=":
                return number, HIGHEST
        return number, number

    def number(self, field: Field, value: Value, text: str) -> int:
        number: int | None = None
        if field.kind == "time":
            try:
                number = parse_ns(text)
            except UsageError as error:
                near = "Units are ns, us, ms and s" if re.match(r"\s*-?[\d.]", text) else "Write a time"
                raise self.error(f"{text!r} is no time.", value.start, value.end, f"{near}: 250us, 1.5ms, 1ms..2ms.") from error
        elif re.fullmatch(r"-?\d+", text):
            number = int(text)
        if number is None:
            raise self.error(f"{text!r} is no whole number.", value.start, value.end, f"For example {field.example}.")
        if not LOWEST < number < HIGHEST:
            raise self.error(f"{text!r} is too large.", value.start, value.end)
        return number

    # -- arguments --------------------------------------------------------------------------------------------------

    def argument(self, term: Term) -> ArgCondition:
        values = term.values
        if not term.key:
            if term.op != ":":
                raise self.error("Which argument?", term.name_end, values[0].start, "Write args.KEY, for example args.dtype=bf16.")
            return ArgCondition("", ":", tuple(value.text for value in values))
        if term.op in ("<", "<=", ">", ">="):
            limits = tuple(self.limit(value, value.text) for value in values)
            endless = float("inf")
            ranges = tuple((-endless, x) if term.op[0] == "<" else (x, endless) for x in limits)
            return ArgCondition(term.key, term.op, (), ranges)
        ranged = [value for value in values if not value.is_quoted and re.fullmatch(r"[-+.\w]*\.\.[-+.\w]*", value.text)]
        if term.op in (":", "=") and ranged and len(ranged) == len(values) and all(self.is_range(value) for value in ranged):
            return ArgCondition(term.key, "..", (), tuple(self.argument_range(value) for value in ranged))
        texts = tuple(value.text for value in values)
        known = [number_of(text) for text in texts] if term.op in ("=", "!=") else []
        return ArgCondition(term.key, term.op, texts, tuple((n, n) for n in known if n is not None))

    def is_range(self, value: Value) -> bool:
        first, _, last = value.text.partition("..")
        return bool(first or last) and all(number_of(part) is not None for part in (first, last) if part)

    def argument_range(self, value: Value) -> tuple[float, float]:
        first, _, last = value.text.partition("..")
        return self.limit(value, first) if first else float("-inf"), self.limit(value, last) if last else float("inf")

    def limit(self, value: Value, text: str) -> float:
        number = number_of(text)
        if number is None:
            raise self.error(f"{text!r} is no number.", value.start, value.end, "Arguments are compared as plain numbers: args.M>1024.")
        return number
