"""Which menu of the canvas a right click or the Menu key means, and what it is about."""

from __future__ import annotations

from hlprof_gui.state.view_state import Bundle
from hlprof_gui.timeline.scene import Scene

Found = tuple[str, float, float, tuple[int, int] | None, Bundle | None]
"""Place in ``CONTEXT_MENUS``, point on the canvas, group and track, arrows."""


def menu_at(scene: Scene, x: float, y: float) -> Found:
    """What lies at a point; a slice, instant or counter there is selected, so that commands mean it."""
    row, layout = scene.row_at(y), scene.layout
    about = (int(layout.group[row]), int(layout.track[row])) if row is not None and layout is not None else None
    bundle = scene.bundle_at(x, y)
    if bundle is not None:
        return "arrow", x, y, about, bundle
    item = scene.item_at(x, y)
    if item is None or item.kind == "track":
        return "canvas", x, y, about, None
    scene.state.select(item)
    return item.kind, x, y, about, None


def menu_of_selection(scene: Scene) -> Found:
    """The menu of what is selected, at its place as far as that is in sight; of the canvas when nothing is."""
    item = scene.state.selection
    middle = scene.width / 2, scene.height / 2
    if item is None or item.kind == "track":
        return "canvas", *middle, scene.state.target(), None
    place = "arrow" if item.kind == "flow" else item.kind
    where = scene.state.item_range(item)
    x = middle[0] if where is None else (scene.x_of(where.start_ns) + scene.x_of(where.end_ns)) / 2
    box = scene.slice_box(item.id) if item.kind == "slice" else None
    y = middle[1] if box is None else (box[1] + box[3]) / 2
    return place, min(max(x, 0.0), scene.width - 1.0), min(max(y, 0.0), scene.height - 1.0), scene.state.target(), None
