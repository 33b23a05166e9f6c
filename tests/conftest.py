"""For all tests: a home of their own, no profiler switched on from outside, and the shared samples where they are."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# A change is judged on the same examples each time; new ones are searched for at the desk.
settings.register_profile("desk", deadline=None)  # how long an example takes says more about what else runs
settings.register_profile("judged", settings.get_profile("desk"), derandomize=True, database=None)
settings.load_profile("desk")
if os.environ.get("CI"):
    settings.load_profile("judged")

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


MOST_WORKERS = 4
"""Each takes half a gigabyte at times."""


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """How many processes share the tests; none where one is enough or has to itself what the tests measure or show."""
    names_files = any(not Path(word.partition("::")[0]).is_dir() for word in config.args)
    if names_files or config.option.capture == "no" or config.option.markexpr != "not deep":
        return 0
    return min(len(os.sched_getaffinity(0)), MOST_WORKERS)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="Write expected texts and pictures anew; look at the difference then.")


@pytest.fixture(scope="session", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing a test does reaches the user's settings or cache, and nothing set there reaches a test."""
    home = tmp_path_factory.mktemp("home")
    wanted = {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local"),
        "NO_COLOR": "1",
    }
    before = {k: v for k, v in os.environ.items() if k in wanted or k.startswith("HABANA")}
    for name in before:
        del os.environ[name]
    os.environ.update(wanted)
    yield
    for name in wanted:
        os.environ.pop(name, None)
    os.environ.update(before)


@pytest.fixture(scope="session")
def qapp_cls() -> type:
    """pytest-qt's application: one that sees how long the GUI thread works at a stretch, see tests/gui/watchdog.py."""
    from tests.gui.watchdog import WatchedApplication

    return WatchedApplication


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of sample traces; tests that need it are skipped where it is absent."""
    folder = SHARED / "samples"
    if not folder.is_dir():
        pytest.skip(f"no sample traces at {folder}")
    return folder
