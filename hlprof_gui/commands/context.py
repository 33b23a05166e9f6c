"""What a right click or the Menu key offers, by what it is about: ids of commands. What is not available is left out."""

from __future__ import annotations

from hlprof_gui.commands import arrange, flows

ROW = ("row.pin", "row.hide", "row.fold")
COPY = ("list.copy_row", "list.copy_table")

CONTEXT_MENUS: dict[str, tuple[str, ...]] = {
    "slice": (
        "view.focus_selection", "edit.mark_selection", "edit.add_note", "",
        "search.filter_name", "select.next_alike", "select.previous_alike", "",
        "select.parent", "select.child", "select.follow_flow", "select.flow_origin", "",
        *ROW, "", "edit.copy_name", "edit.copy_details",
    ),
    "instant": ("view.focus_selection", "edit.flag_pointer", "edit.add_note", "", *ROW, "", "edit.copy_name", "edit.copy_details"),
    "counter": ("panel.counters", "", "row.restack", "row.fit_scale", "row.taller", "row.smaller", *ROW, "", "edit.copy_details"),
    "sample": ("view.focus_selection", "edit.flag_pointer", "edit.add_note", "", *ROW, "", "edit.copy_details"),
    "arrow": flows.MENU,
    "canvas": (
        "view.focus_range", "view.zoom_in", "view.zoom_out", "view.zoom_fit", "view.back", "", "edit.flag_pointer", "edit.add_note", "",
        "flow.show_all", "flow.show_selected", "", *ROW, "row.show_hidden", "track.fold_all", "track.unfold_all", "", "edit.clear",
    ),
    "row": arrange.MENU,
    "group": (*arrange.MENU, "", *arrange.GROUPINGS, "", "track.fold_all", "track.unfold_all"),
    "overview": (
        "view.zoom_fit", "view.focus_selection", "view.focus_range", "", "view.go_start", "view.go_end", "view.back", "view.forward",
    ),
    "ruler": (
        "view.focus_range", "view.zoom_fit", "", "edit.flag_pointer", "edit.add_note", "", "select.next_step", "select.previous_step", "",
        "time.from_start", "time.from_selection", "time.by_file", "time.of_day", "",
        "edit.copy_measures", "edit.clear",
    ),
    "steps": ("view.focus_range", "panel.statistics", "edit.add_note", "", "select.next_step", "select.previous_step"),
    "matches": ("list.go_to", "list.zoom_to", "search.filter_name", "", *COPY, "list.export_table"),
    "statistics": ("list.filter_by", "", *COPY, "list.export_table"),
    "notes": ("list.go_to", "list.edit_row", "list.remove_row", "", *COPY),
    "sql": ("list.go_to", "list.zoom_to", "list.mark_slices", "", *COPY, "list.export_table"),
    "counters": ("list.go_to", "", *COPY),
    "diagnostics": COPY,
    "arguments": ("list.copy_value", "list.copy_key", "list.filter_by", "", "edit.copy_details"),
    "stack": ("list.copy_row", "list.copy_table", "", "edit.copy_details"),
    "report": ("list.go_to", "list.copy_selected", "list.copy_table", "list.export_table"),
}  # fmt: skip
"""An empty id is a line."""
