"""Bracket lists of bus monitors and counters: ``[[0,1][bw,lat,out][512,256][]]`` and ``[[57,65][2048,on]]``."""

from __future__ import annotations

import re

MEASUREMENTS = ("bw", "lat", "out")
MAX_COUNTERS = 6
"""What one SPMU can count at once."""


def split_groups(text: str, count: int) -> list[list[str]]:
    """The items of ``count`` groups; ValueError when the form is another."""
    compact = text.replace(" ", "")
    match = re.fullmatch(r"\[((?:\[[^\[\]]*\],?)*)\]", compact)
    groups = re.findall(r"\[([^\[\]]*)\]", match[1]) if match else []
    if match is None or len(groups) != count:
        form = "[[0,1][bw,lat,out][512,256][]]" if count == 4 else "[[57,65][2048,on]]"
        raise ValueError(f"{text!r} does not have {count} groups in brackets; write it like '{form}'")
    return [[item for item in group.split(",") if item] for group in groups]


def parse_bmon(text: str) -> str:
    """Check a bus monitor list; returns its plain form."""
    monitors, measurements, windows, filters = split_groups(text, 4)
    _check_numbers("a monitor", monitors)
    _check_once("monitor", monitors)
    _check_once("measurement", measurements)
    for name in measurements:
        if name not in MEASUREMENTS:
            raise ValueError(f"{name!r} is not a measurement; known are {', '.join(MEASUREMENTS)}")
    _check_numbers("a window", windows)
    return join_groups([monitors, measurements, windows, filters])


def parse_spmu(text: str) -> str:
    """Check a counter list; returns its plain form."""
    events, sampling = split_groups(text, 2)
    _check_numbers("an event id", events)
    _check_once("event", events)
    if len(events) > MAX_COUNTERS:
        raise ValueError(f"{len(events)} events, but one unit counts at most {MAX_COUNTERS} at once; count the others in a second run")
    if len(sampling) != 2 or not re.fullmatch(r"0*[1-9][0-9]{0,17}", sampling[0]) or sampling[1].lower() not in ("on", "off"):
        raise ValueError(f"{text!r} needs the sample rate in cycles and on or off, like [2048,on]")
    return join_groups([events, [sampling[0], sampling[1].lower()]])


def _check_numbers(what: str, items: list[str]) -> None:
    for item in items:
        if not re.fullmatch(r"[0-9]{1,18}", item):
            raise ValueError(f"{item!r} is not {what}; write a whole number")


def _check_once(what: str, items: list[str]) -> None:
    for item in items:
        if items.count(item) > 1:
            raise ValueError(f"{what} {item} is named twice")


def join_groups(groups: list[list[str]]) -> str:
    return "[" + "".join("[" + ",".join(group) + "]" for group in groups) + "]"
