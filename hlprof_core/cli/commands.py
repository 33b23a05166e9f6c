"""The list of ``hlprof`` commands: name, where it is made, one line of help. Modules load when their command runs."""

from __future__ import annotations

from msgspec import Struct


class CommandEntry(Struct, frozen=True):
    name: str
    target: str
    """``module:attribute`` of a click command. Modules of the window are named here, never imported by the core."""
    help: str
    needs_gui: bool = False


COMMANDS = (
    CommandEntry("view", "hlprof_gui.cli_view:view", "Open traces in the window.", needs_gui=True),
    CommandEntry("run", "hlprof_core.cli.run:run", "Run a program under the profiler."),
    CommandEntry("info", "hlprof_core.cli.info:info", "Format, counts, time span and diagnostics of a trace."),
    CommandEntry("events", "hlprof_core.cli.events:events", "Events of a trace, one JSON object a line."),
    CommandEntry("report", "hlprof_core.cli.report:report", "Utilisation, exposed time, steps, top operations, advice."),
    CommandEntry("query", "hlprof_core.cli.query:query", "SQL over a trace."),
    CommandEntry("convert", "hlprof_core.cli.convert:convert", "Crop, repair and change the format of a trace."),
    CommandEntry("render", "hlprof_gui.cli_render:render", "The timeline as a picture; no display needed.", needs_gui=True),
    CommandEntry("predict", "hlprof_core.cli.predict:predict", "What the device model says about a workload."),
    CommandEntry("bench", "hlprof_gui.cli_bench:bench", "Measure opening and drawing a trace.", needs_gui=True),
    CommandEntry("doctor", "hlprof_core.cli.doctor:doctor", "What this machine has, with a verdict each."),
)
