from __future__ import annotations

import pytest

from hlprof_core.workloads.command import iteration_list
from hlprof_core.workloads.main import main


@pytest.fixture(autouse=True)
def _unprofiled(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HABANA_PROFILE", "HABANA_PROF_CONFIG", "HLPROF_DEVICE"):
        monkeypatch.delenv(name, raising=False)


def test_the_summary_compares_with_what_was_published(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dlrm", "--iterations", "3"]) == 0
    said = capsys.readouterr()
    assert "3 iterations" in said.out
    assert "qps" in said.out
    assert "published: 25.35 ms, 20197 qps" in said.out
    assert said.err == ""


def test_runs_are_repeatable(capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for _ in range(2):
        main(["dlrm", "--iterations", "2", "--batch", "64", "--device", "gaudi2", "--dtype", "bf16", "--seed", "5"])
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert "Gaudi 2, estimated" in said[0]
    assert "published" not in said[0]


def test_the_device_may_come_from_the_environment(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HLPROF_DEVICE", "gaudi3")
    main(["dlrm", "--iterations", "1", "--batch", "64"])
    assert "Gaudi 3" in capsys.readouterr().out


def test_help_lists_workloads_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "dlrm" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stopped:
        main(["dlrm", "--help"])
    assert stopped.value.code == 0
    said = capsys.readouterr().out
    assert all(flag in said for flag in ("--iterations", "--profile-iterations", "--device", "--batch", "--dtype", "--seed"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["dlmr"], "dlrm"),
        (["dlrm", "--iterations", "many"], "many"),
        (["dlrm", "--iteration", "3"], "--iteration"),
        (["dlrm", "--device", "gaudi9"], "gaudi9"),
        (["dlrm", "--batch", "-1"], "batch"),
        (["dlrm", "--iterations", "5", "--profile-iterations", "2,6"], "outside 1 to 5"),
        (["dlrm", "--profile-iterations", "x"], "2,6,12"),
    ],
)
def test_mistakes_get_one_line(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert says in said.err
    assert len(said.err.splitlines()) == 1
    assert said.out == ""


def test_a_model_that_does_not_fit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dlrm", "--rows", "300000000"]) == 1
    assert "do not fit" in capsys.readouterr().err
    assert main(["dlrm", "--iterations", "1", "--batch", "64"]) == 0, "the failed run must not block the next"


def test_lists_of_iterations() -> None:
    assert iteration_list("2,6,12", 15) == {2, 6, 12}
    assert iteration_list("2-4, 9", 15) == {2, 3, 4, 9}
    assert iteration_list("", 15) == set()
