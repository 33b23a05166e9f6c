"""The analyzer's table as CSV and as JSON: a slice for each row, what it knows as arguments."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from hlprof_core.cli.events import lines
from hlprof_core.errors import TraceError
from hlprof_core.io.open import open_trace
from hlprof_core.trace.model import Trace

HEADER = (
    "Unit,Unique node id,Node Name,Op Type,Start time of node,End time of node,Duration (us),Active (us),Min single engine (us),"
    "Max single engine (us),Diff max min single engine (us),Avg single engine (us),Bundle index,Avg single engine active (us),"
    "Variance single engine (us²),Num activations,Parallel Engines,TPC Input BW Utilization (%),TPC Output BW Utilization (%),"
    "Input Vector Utilization (ratio),All inputs in sram,Input shapes,Input Datatype,Input placement,Output shapes,Output Datatype,"
    "Output placement,Unexposed tpc (us),Exposed tpc (us),Unexposed mme (us),Exposed mme (us),Exposed dma (us),"
    "MME Compute Utilization (%),MME expected vs actual (%),MME Origin Node,MME Origin Expected (us),MME Node Strategy,"
    "Unsliced MME duration (us),Bundle duration (us),Cost Model,Input Tensors,Output Tensors,Input cache allocation,"
    "Output cache allocation,Unsliced MME Active Time (us),TPC Duration until MSG_WRITE (us),MME Compute time (us),"
    "MME Read-only time (us),MME Write-only time (us),Output Tensor Reduction,MME Parallel Execution (%),TPC Parallel Execution (%)"
).split(",")
ROW = {
    "Unit": "MME", "Unique node id": "12", "Node Name": "g_1_conv_0", "Op Type": "Convolution", "Start time of node": "554804527.286000",
    "End time of node": "554804546.100000", "Duration (us)": "18.814000", "Bundle index": "nan", "Parallel Engines": "8",
    "Input shapes": "[[1, 2], [3]]", "Output shapes": "[]", "Input Tensors": "[Error]", "Variance single engine (us²)": "0.188000",
}  # fmt: skip


def table(path: Path, *rows: dict[str, str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, HEADER, restval="nan", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def told(trace: Trace) -> list[dict[str, Any]]:
    return list(lines(trace, ("slice",), (None, None), with_args=True))


def test_rows_are_slices_with_what_is_known_of_the_node(tmp_path: Path) -> None:
    assert len(HEADER) == 52
    rows = [ROW, ROW | {"Unit": "TPC", "Node Name": "007", "Start time of node": "554804530", "End time of node": "554804531.000001"},
            ROW | {"Unit": "TPC", "Start time of node": "nan"}, ROW | {"Unit": "DMA", "End time of node": "nan"}]  # fmt: skip
    trace = open_trace(table(tmp_path / "x_analyzed_nodes.csv", *rows), use_cache=False)
    assert trace.origin.format == "gaudi-nodes"
    found = {(s["process"], s["thread"]): s for s in told(trace)}
    conv = found["MME", "MME nodes"]
    assert (conv["name"], conv["cat"], conv["start_ns"], conv["dur_ns"]) == ("g_1_conv_0", "node", 554804527286, 18814)
    args = {k: v for k, v in conv["args"].items() if k not in ("Start time of node", "End time of node")}
    assert args == {"Unique Node ID": 12, "op": "Convolution", "Duration (us)": 18.814, "Parallel Engines": 8,
                    "Input shapes": "[[1, 2], [3]]", "Variance single engine (us²)": 0.188}  # fmt: skip
    assert (found["TPC", "TPC nodes"]["name"], found["TPC", "TPC nodes"]["dur_ns"]) == ("007", 1000)
    assert found["DMA", "DMA nodes"]["dur_ns"] == 18814
    assert {t.engine for t in trace.tracks} == {"MME", "TPC", "DMA"}
    assert {d.code: (d.count, d.first) for d in trace.diagnostics} == {"read.bad_ts": (1, ("line 4",))}


def test_json_has_the_same_rows_under_other_units(tmp_path: Path) -> None:
    rows = [{key.replace("(us)", "(usec)"): value for key, value in ROW.items()}]
    text = json.dumps({"version": 1, "analyzer_metadata": rows})
    text = text.replace('"554804527.286000"', "554804527.286000").replace('"8"', "8").replace('"nan"', "NaN")
    (tmp_path / "trace_analyzer.json").write_text(text)
    from_json = told(open_trace(tmp_path / "trace_analyzer.json", use_cache=False))
    assert from_json == told(open_trace(table(tmp_path / "x.csv", ROW), use_cache=False))


def test_rows_of_another_width_are_counted(tmp_path: Path) -> None:
    path = table(tmp_path / "x.csv", ROW)
    with path.open("a") as file:
        file.write("TPC,1,2\n")
    trace = open_trace(path, use_cache=False)
    assert {d.code: (d.count, d.first) for d in trace.diagnostics} == {"read.bad_row": (1, ("line 3",))}


def test_a_cut_json_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('{"analyzer_metadata": [{"Unit": "MME"')
    with pytest.raises(TraceError, match="no JSON"):
        open_trace(tmp_path / "t.json", use_cache=False)


def test_the_published_row(tmp_path: Path) -> None:
    sample = Path(__file__).parents[4].parent / "shared/samples/gaudi/expected/debug_hw_prof_accel0_001_mme_node.csv"
    if not sample.exists():
        pytest.skip("the shared samples are not beside this folder")
    (node,) = told(open_trace(sample, use_cache=False))
    assert (node["name"], node["start_ns"], node["dur_ns"], node["thread"]) == ("g_1_conv_0", 554804527286, 18814, "MME nodes")
    assert node["args"]["Avg single engine (us)"] == 17.747
