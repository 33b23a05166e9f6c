"""Each rule speaks when its case is there and keeps silent when it is not; there is always a line about the bottleneck."""

from __future__ import annotations

from hlprof_core.report.build import build_report
from hlprof_core.trace.builder import TraceBuilder
from hlprof_core.trace.model import Origin

PIDS = {"DMA": 1, "MME": 2, "TPC": 3, "NIC": 4, "Host": 5}


class Run:
    """Slices on engines, given as (engine, start, length) or (engine, start, length, name)."""

    def __init__(self, *work: tuple) -> None:
        build = TraceBuilder()
        for engine in {w[0] for w in work}:
            build.process(PIDS[engine], engine)
        for n, (engine, start, length, *name) in enumerate(work):
            build.slice(PIDS[engine], 0, start, length, name[0] if name else f"{engine} {n}")
        self.advice = build_report(build.finish(Origin("test"))).advice

    @property
    def rules(self) -> list[str]:
        return [a.rule for a in self.advice]


def test_busy_host_and_idle_device() -> None:
    run = Run(("MME", 0, 10, "a"), ("MME", 90, 10, "b"), ("Host", 10, 70, "prepare"))
    assert run.rules[0] == "host_bound"
    assert "idle 80 %" in run.advice[0].text
    assert run.advice[0].evidence["host_busy_ns"] == 70


def test_idle_device_and_nothing_known_of_the_host() -> None:
    run = Run(("MME", 0, 10, "a"), ("MME", 90, 10, "b"))
    assert run.rules[0] == "idle_device"
    assert "no host work" in run.advice[0].text


def test_copies_nothing_hides() -> None:
    run = Run(("DMA", 0, 50), ("MME", 50, 20), ("TPC", 60, 40))
    assert "exposed_copy" in run.rules
    assert "50 %" in next(a.text for a in run.advice if a.rule == "exposed_copy")


def test_hidden_copies_are_no_cost() -> None:
    assert "exposed_copy" not in Run(("DMA", 0, 100), ("MME", 0, 60), ("TPC", 50, 50)).rules


def test_communication_nothing_hides() -> None:
    assert Run(("NIC", 0, 50), ("MME", 50, 30), ("TPC", 70, 30)).rules[0] == "exposed_communication"


def test_bound_by_one_engine() -> None:
    run = Run(*[("TPC", 10 * n, 10, f"t{n}") for n in range(10)], ("MME", 0, 10))
    assert run.rules == ["tpc_bound"]
    assert "alone for 90 ns (90 %)" in run.advice[0].text


def test_one_operation_dominates() -> None:
    run = Run(("MME", 0, 60, "huge"), ("TPC", 0, 100, "t"))
    assert run.rules[0] == "dominant_operation"
    assert run.advice[0].evidence["name"] == "t"


def test_a_slow_step_never_replaces_the_bottleneck() -> None:
    steps = [("Host", 0, 10, "step 1"), ("Host", 10, 10, "step 2"), ("Host", 20, 40, "step 3")]
    spread = [("TPC", n, 1, f"t{n}") for n in range(60)] + [("MME", n, 1, f"m{n}") for n in range(60)]
    run = Run(*steps, *spread)
    assert run.rules == ["balanced", "uneven_steps"]


def test_a_trace_without_device_names_its_hottest_function() -> None:
    build = TraceBuilder()
    build.slice(1, 1, 0, 100, "main")
    build.slice(1, 1, 5, 90, "hot")
    (advice,) = build_report(build.finish(Origin("test"))).advice
    assert advice.rule == "hottest_function"
    assert advice.evidence == {"name": "hot", "self_ns": 90, "count": 1}


def test_an_empty_trace_says_so() -> None:
    (advice,) = build_report(TraceBuilder().finish(Origin("test"))).advice
    assert advice.rule == "no_time"
