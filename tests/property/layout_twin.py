"""The layout kernel written slowly and plainly: what it must agree with."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Event:
    """One event of a row; ``dur`` only for X, None when missing. ``number`` is its place in the file."""

    number: int
    phase: str
    ts: int
    dur: int | None
    name: str


@dataclass(eq=False, slots=True)
class Piece:
    source: int
    start: int
    end: int | None
    name: str
    is_pair: bool
    ended: int | None = None
    is_unfinished: bool = False
    parent: Piece | None = None
    group: int = 0
    depth: int = 0
    stack: list[Piece] = field(default_factory=list)


@dataclass(slots=True)
class Told:
    strays: int = 0
    by_outer: int = 0
    unfinished: int = 0
    negative: int = 0
    overlaps: int = 0


def order_of_ends(instant: list[Event], open_names: list[str]) -> list[Event]:
    """Ends of slices begun before this instant go first, unless they fit a B that stands before them."""
    fresh: list[str] = []
    still_open = list(open_names)
    early: list[Event] = []
    for event in instant:
        if event.phase == "B":
            fresh.append(event.name)
        elif event.phase == "E":
            pool = fresh if (event.name in fresh if event.name else fresh) else still_open
            if pool is still_open and (event.name in pool if event.name else pool):
                early.append(event)
            if event.name in pool or (not event.name and pool):
                while pool.pop() != event.name and event.name:
                    pass
    return early + [event for event in instant if event not in early]


def match(events: list[Event], trace_end: int) -> tuple[list[Piece], Told]:
    told, pieces = Told(), []
    stack: list[Piece] = []
    times = sorted({event.ts for event in events})
    for time in times:
        instant = [event for event in events if event.ts == time]
        for event in order_of_ends(instant, [piece.name for piece in stack]):
            if event.phase == "E":
                if not stack or (event.name and all(piece.name != event.name for piece in stack)):
                    told.strays += 1
                    continue
                while True:
                    piece = stack.pop()
                    piece.end = event.ts
                    if not event.name or piece.name == event.name:
                        piece.ended = event.number
                        break
                    told.by_outer += 1
            elif event.phase == "B":
                pieces.append(Piece(event.number, event.ts, None, event.name, True))
                stack.append(pieces[-1])
            else:
                end = None if event.dur is None else event.ts + max(0, event.dur)
                told.negative += event.dur is not None and event.dur < 0
                told.unfinished += event.dur is None
                pieces.append(Piece(event.number, event.ts, end, event.name, False, is_unfinished=event.dur is None))
    for piece in stack:
        piece.end, piece.is_unfinished = max(trace_end, piece.start), True
        told.unfinished += 1
    pieces.sort(key=lambda piece: (piece.start, -piece.end if piece.end is not None else float("inf")))
    return pieces, told


def nest(pieces: list[Piece], trace_end: int, told: Told) -> None:
    groups: list[list[Piece]] = [[]]
    cluster: list[Piece] = []
    for piece in pieces:
        for stack in groups:
            while stack and stack[-1].end <= piece.start:
                stack.pop()
        if not any(groups):
            finish_cluster(cluster)
            groups, cluster = [[]], []
        if piece.end is None:
            piece.end = groups[0][-1].end if groups[0] else max(trace_end, piece.start)
        place(piece, groups, told)
        cluster.append(piece)
    finish_cluster(cluster)


def place(piece: Piece, groups: list[list[Piece]], told: Told) -> None:
    parent, after = None, 0
    for number, stack in enumerate(groups):
        around = [other for other in stack if other.end >= piece.end]
        if not around:
            continue
        if around[-1] is stack[-1]:
            put(piece, groups, number, stack[-1])
            return
        if parent is None:
            parent, after = around[-1], number + 1
    free = next((number for number in range(after, len(groups)) if not groups[number]), max(after, len(groups)))
    put(piece, groups, free, parent)
    told.overlaps += free > 0


def put(piece: Piece, groups: list[list[Piece]], number: int, parent: Piece | None) -> None:
    while number >= len(groups):
        groups.append([])
    piece.group, piece.depth, piece.parent = number, len(groups[number]), parent
    groups[number].append(piece)


def finish_cluster(cluster: list[Piece]) -> None:
    base = 0
    for group in range(max((piece.group for piece in cluster), default=-1) + 1):
        members = [piece for piece in cluster if piece.group == group]
        height = max((piece.depth + 1 for piece in members), default=0)
        for piece in members:
            piece.depth += base
        base += height
