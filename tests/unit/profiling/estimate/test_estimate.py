"""What is told of a recording before the run, as values."""

from __future__ import annotations

import orjson

from hlprof_core.profiling.estimate.estimate import Estimate


def test_the_form_for_machines_has_every_field_and_only_plain_values() -> None:
    told = Estimate(1, 2, 3, 5, 6, 12, 0.5, None, {"a.json": 7}, 7, 8, "dlrm", ("a note.",)).to_dict()
    assert list(told) == list(Estimate.__struct_fields__)
    assert orjson.loads(orjson.dumps(told)) == told
    assert (told["launches"], told["notes"], told["file_bytes"]) == (1, ["a note."], {"a.json": 7})
