"""What is wrong with the text of a configuration, each with its line and column: for an editor, and for ``--validate``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from hlprof_core.config.document import ProfConfig, parse_json, shape_problems
from hlprof_core.config.leaf import json_path
from hlprof_core.config.validate import invalid_settings, unknown_paths, unknown_text

JsonPath = tuple[str | int, ...]
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


class TextProblem(Struct, frozen=True):
    """``line`` and ``column`` count from 1. An error keeps the text from being used; a notice tells of what is kept as it is."""

    line: int
    column: int
    message: str
    severity: Literal["error", "notice"] = "error"


def problems_in(text: str) -> list[TextProblem]:
    """Everything to say about a text, in the order of its lines; empty when all of it is understood."""
    try:
        raw = parse_json(text)
    except json.JSONDecodeError as error:
        return [TextProblem(error.lineno, error.colno, f"not JSON: {error.msg}")]
    except ValueError as error:
        return [TextProblem(1, 1, f"not JSON: {error}")]
    shape = shape_problems(raw)
    if shape:
        # Places only where the nesting is known to be bounded.
        starts = value_starts(text) if isinstance(raw, dict) and shape[0][0] else {}
        found = [TextProblem(*place_of(text, starts, path), message) for path, message in shape]
    else:
        starts = value_starts(text)
        config = ProfConfig(raw)
        found = [TextProblem(*place_of(text, starts, json_path(raw, entry.path)), said) for entry, said in invalid_settings(config)]
        for path in unknown_paths(config):
            message = f"{unknown_text(path)} is not known here; it is kept as it is"
            found.append(TextProblem(*place_of(text, starts, json_path(raw, path)), message, "notice"))
    return sorted(found, key=lambda problem: (problem.line, problem.column))


def value_starts(text: str) -> dict[JsonPath, int]:
    """Where each value of a valid JSON text starts, by its path."""
    starts: dict[JsonPath, int] = {}
    trail: list[Any] = []
    """The key or index we are at in each open object or list; None before the key of an object."""
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in "}]":
            trail.pop()
        elif token == ",":
            trail[-1] = trail[-1] + 1 if isinstance(trail[-1], int) else None
        elif token == ":":
            continue
        elif trail and trail[-1] is None:
            trail[-1] = json.loads(token, strict=False)
        else:
            starts[tuple(trail)] = match.start()
            if token == "{":
                trail.append(None)
            elif token == "[":
                trail.append(0)
    return starts


def place_of(text: str, starts: Mapping[JsonPath, int], path: JsonPath) -> tuple[int, int]:
    """Line and column, from 1, of the value at ``path``, or of the nearest thing around it that is there."""
    while path and path not in starts:
        path = path[:-1]
    at = starts.get(path, 0)
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
