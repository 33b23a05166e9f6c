"""What to look at first: rules that name a cost, say where it comes from, and show the figures they rest on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

from msgspec import Struct

from hlprof_core.analysis.activity import Activity
from hlprof_core.analysis.steps import Steps
from hlprof_core.registry import Registry
from hlprof_core.units import format_ns


class Evidence(Struct, frozen=True):
    """What the rules look at. ``device`` and ``idle`` are the figures of these analyses, empty without a device."""

    span_ns: int
    activity: Activity
    device: Mapping[str, int]
    idle: Mapping[str, int]
    steps: Steps
    operations: Sequence[Mapping[str, Any]]
    self_times: Sequence[Mapping[str, Any]]


class Advice(Struct, frozen=True):
    """``weight``: the share of the time it is about, 0 to 1; the heaviest is the bottleneck."""

    rule: str
    text: str
    evidence: Mapping[str, int | float | str]
    weight: float

    def to_dict(self) -> dict[str, Any]:
        return {"rule": self.rule, "text": self.text, "evidence": dict(self.evidence)}


Rule = Callable[[Evidence], Advice | None]
rules: Registry[Rule] = Registry("advice rule")

IDLE_SHARE, EXPOSED_SHARE, DOMINANT_SHARE, BOUND_SHARE = 0.20, 0.05, 0.25, 0.30
"""Below these shares of the device's time a rule keeps silent."""
BESIDE_THE_POINT = ("uneven_steps",)
"""Rules that do not say where the time goes."""


def rule(name: str) -> Callable[[Rule], Rule]:
    """Put a rule on the list; its text is in the place where it is decided."""
    return lambda function: rules.add(name, function)


def advise(evidence: Evidence) -> list[Advice]:
    """What the rules found, the costliest first; at least one line about where the time goes."""
    found = [advice for one in rules if (advice := one(evidence)) is not None]
    found.sort(key=lambda a: -a.weight)
    if all(advice.rule in BESIDE_THE_POINT for advice in found):
        found.insert(0, _nothing_stands_out(evidence))
    return found


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


@rule("idle_device")
def idle_device(evidence: Evidence) -> Advice | None:
    """The device waits; tell whether the host was busy or waiting too."""
    total, idle = evidence.device.get("total_ns", 0), evidence.device.get("idle_ns", 0)
    if not total or idle / total < IDLE_SHARE:
        return None
    host = evidence.idle.get("host_busy_ns", 0)
    figures = {"idle_ns": idle, "total_ns": total, "idle_share": idle / total, "host_busy_ns": host}
    start = f"The device is idle {_percent(idle / total)} of the time from its first work to its last ({format_ns(idle)})."
    if host >= idle / 2:
        text = (
            f"{start} During {_percent(host / idle)} of that the host is busy in recorded calls: it does not launch fast enough. "
            "Launch more work at once (graphs), move work off the host's critical path, or raise the batch size."
        )
        return Advice("host_bound", text, figures, idle / total)
    text = (
        f"{start} The trace shows no host work for {_percent(1 - host / idle)} of that: look for input data, synchronisation, "
        "or code that was not recorded."
    )
    return Advice("idle_device", text, figures, idle / total)


@rule("exposed_copy")
def exposed_copy(evidence: Evidence) -> Advice | None:
    """Copies that nothing hides."""
    total, exposed = evidence.device.get("total_ns", 0), evidence.device.get("exposed_copy_ns", 0)
    if not total or exposed / total < EXPOSED_SHARE:
        return None
    copies = evidence.device["copy_ns"]
    text = (
        f"Copies take {format_ns(exposed)} ({_percent(exposed / total)}) in which nothing is computed; {_percent(exposed / copies)} "
        "of all copy time is not hidden. Prefetch inputs, keep them in device memory, or let copies run beside computation."
    )
    return Advice("exposed_copy", text, {"exposed_copy_ns": exposed, "copy_ns": copies, "total_ns": total}, exposed / total)


@rule("exposed_communication")
def exposed_communication(evidence: Evidence) -> Advice | None:
    """Collectives that nothing hides."""
    total, exposed = evidence.device.get("total_ns", 0), evidence.device.get("exposed_comm_ns", 0)
    if not total or exposed / total < EXPOSED_SHARE:
        return None
    comm = evidence.device["comm_ns"]
    text = (
        f"Communication takes {format_ns(exposed)} ({_percent(exposed / total)}) in which nothing is computed. "
        "Start collectives earlier, use larger buckets, or overlap them with the backward pass."
    )
    return Advice("exposed_communication", text, {"exposed_comm_ns": exposed, "comm_ns": comm, "total_ns": total}, exposed / total)


@rule("engine_bound")
def engine_bound(evidence: Evidence) -> Advice | None:
    """One of MME and TPC works alone for long."""
    total = evidence.device.get("total_ns", 0)
    engines = evidence.activity.engines
    pair = [name for name in ("MME", "TPC") if name in engines]
    if not total or len(pair) < 2:
        return None
    exposed = {name: evidence.activity.exposed(name).length_ns for name in pair}
    name = max(pair, key=lambda n: exposed[n])
    share = exposed[name] / total
    if share < BOUND_SHARE:
        return None
    other = pair[1 - pair.index(name)]
    ways = {
        "TPC": "Fuse element-wise operations, use bf16, and look for slow or unaligned TPC kernels.",
        "MME": "Use bf16 or fp8, sizes that fill the array, and check that no transposes are in the way.",
    }
    text = (
        f"The {name} works alone for {format_ns(exposed[name])} ({_percent(share)}), the {other} alone for {format_ns(exposed[other])}: "
        f"the run is bound by the {name}. {ways[name]}"
    )
    busy = engines[name].length_ns
    figures: dict[str, int | float | str] = {"engine": name, "exposed_ns": exposed[name], "busy_ns": busy, "total_ns": total}
    return Advice(f"{name.lower()}_bound", text, figures, share)


@rule("dominant_operation")
def dominant_operation(evidence: Evidence) -> Advice | None:
    """One operation takes much of the device's working time."""
    busy = evidence.device.get("busy_ns", 0)
    key = "busy_ns" if any(row["busy_ns"] for row in evidence.operations) else "self_device_ns"
    top = max(evidence.operations, key=lambda row: row[key], default=None)
    if not busy or top is None or top[key] / busy < DOMINANT_SHARE:
        return None
    share = min(1.0, top[key] / busy)
    kind = f" ({top['op']})" if top.get("op") else ""
    text = (
        f"'{top['name']}'{kind} is being executed during {_percent(share)} of the device's working time ({format_ns(top[key])}, "
        f"{top['count']} slices): improving it pays first."
    )
    weight = share * busy / evidence.device["total_ns"]
    return Advice("dominant_operation", text, {"name": top["name"], key: top[key], "device_busy_ns": busy}, weight)


@rule("uneven_steps")
def uneven_steps(evidence: Evidence) -> Advice | None:
    """A step that takes much longer than the usual one."""
    lengths = [step.span.length_ns for step in evidence.steps.steps]
    if len(lengths) < 3 or evidence.steps.source == "trace":
        return None
    usual, longest = median(lengths), max(lengths)
    if not usual or longest < 1.5 * usual:
        return None
    step = max(evidence.steps.steps, key=lambda s: s.span.length_ns)
    text = (
        f"Step '{step.name}' takes {format_ns(longest)}, the usual one {format_ns(int(usual))}: compilation, the first input or a "
        "checkpoint may fall into it; compare the two before drawing conclusions from averages."
    )
    lost = sum(n - usual for n in lengths if n > 1.5 * usual)
    return Advice("uneven_steps", text, {"longest_ns": longest, "median_ns": int(usual), "step": step.name}, min(1.0, lost / sum(lengths)))


@rule("hottest_function")
def hottest_function(evidence: Evidence) -> Advice | None:
    """Without a device: the name with the most time of its own."""
    total = sum(row["self_ns"] for row in evidence.self_times)
    if evidence.activity.has_device or not total:
        return None
    top = evidence.self_times[0]
    share = top["self_ns"] / total
    text = (
        f"The trace shows no device. Of all recorded time '{top['name']}' takes the most itself: {format_ns(top['self_ns'])} "
        f"({_percent(share)}) in {top['count']} slice{'s' * (top['count'] != 1)}."
    )
    return Advice("hottest_function", text, {"name": top["name"], "self_ns": top["self_ns"], "count": top["count"]}, share)


def _nothing_stands_out(evidence: Evidence) -> Advice:
    total, busy = evidence.device.get("total_ns", 0), evidence.device.get("busy_ns", 0)
    if not total:
        return Advice("no_time", "The trace holds nothing that lasts, so there is nothing to advise.", {"span_ns": evidence.span_ns}, 0.0)
    engines = evidence.activity.device_engines
    busiest = max(engines, key=lambda name: engines[name].length_ns, default="")
    where = f"; the busiest engine class is the {busiest} ({_percent(engines[busiest].length_ns / total)})" if busiest else ""
    text = f"The device works {_percent(busy / total)} of the time and no single cost stands out{where}."
    if busiest in ("MME", "TPC") and engines[busiest].length_ns / total > BOUND_SHARE:
        text += " Less work for that engine, or cheaper data types, is what can still shorten the run."
    return Advice("balanced", text, {"busy_ns": busy, "total_ns": total}, 0.0)
