"""``hlprof predict``: what the device model says about a workload or a list of matrix products."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import click

from hlprof_core.errors import UsageError


@click.command(help="What the device model says about a workload: time per iteration, throughput, busy shares. `predict gemm --csv ROWS` "
               "adds the column model_us to a list of matrix products.")  # fmt: skip
@click.argument("workload")
@click.option("--device", default="gaudi", show_default=True, help="gaudi, gaudi2 or gaudi3.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="An option of the workload, such as batch=256; repeatable.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.option("--csv", "rows", metavar="ROWS", help="For gemm: file with M,K,N,dtype,transA,transB,nodes_in_graph; - reads stdin.")
def predict(workload: str, device: str, settings: tuple[str, ...], as_json: bool, rows: str | None) -> None:
    """Entry point of the command."""
    from hlprof_core.device import load_generation

    generation = load_generation(device)
    if workload == "gemm":
        if rows is None:
            raise UsageError("`predict gemm` needs the products.", hint="Give them with --csv ROWS.")
        if settings or as_json:
            raise UsageError("`predict gemm` answers in CSV and takes no --set.", hint="Leave --set and --json out.")
        _predict_gemm(device, rows)
        return
    if rows is not None:
        raise UsageError("--csv belongs to `predict gemm`.", hint="Use --set key=value for a workload.")

    from hlprof_core.workloads.catalog import WORKLOADS
    from hlprof_core.workloads.predict import predict as predict_workload
    from hlprof_core.workloads.workload import parse_settings

    prediction = predict_workload(WORKLOADS.get(workload), generation, parse_settings(settings))
    if as_json:
        import json

        print(json.dumps(prediction.to_dict(), indent=2))
        return
    from hlprof_core.units import format_ns

    print(f"{prediction.workload} on {generation.title}: {format_ns(prediction.iteration_ns)} an iteration, "
          f"{prediction.throughput:.0f} {prediction.unit}{' (estimated)' if prediction.estimated else ''}")  # fmt: skip
    for name, engine in prediction.engines.items():
        print(f"  {name:4} {engine['lanes']:3} lanes  busy {format_ns(engine['busy_ns']):>9}  {100 * engine['busy_share']:5.1f} %")
    if prediction.published:
        published = prediction.published["iteration_ns"]
        print(f"published: {format_ns(published)}; the prediction is {100 * (prediction.iteration_ns / published - 1):+.1f} % off "
              f"({prediction.published['source']})")  # fmt: skip
    if prediction.estimated:
        print(f"hlprof predict: {generation.note}", file=sys.stderr)


def _predict_gemm(device: str, source: str) -> None:
    from hlprof_core.device import load_generation
    from hlprof_core.workloads.predict import predict_gemms

    where = "stdin" if source == "-" else source
    try:
        lines = (sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8-sig")).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise UsageError(f"Cannot read {where}: {reason}.", hint="Give --csv a CSV file of products.") from error
    # Everything is predicted before anything is printed: half an answer would look like a whole one.
    answered = list(predict_gemms(load_generation(device), lines, where))
    header = [*next(csv.reader(lines[:1])), "model_us"]
    writer = csv.DictWriter(sys.stdout, header, lineterminator="\n")
    writer.writeheader()
    writer.writerows(answered)
