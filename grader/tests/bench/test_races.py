"""`make bench-races` on small suites that are laid out as the public ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from warpgrade.core.paths import here

REPOSITORY = here()
SCRIPT = REPOSITORY.root / "grader" / "bench" / "races.py"
SUITES = Path(__file__).parents[1] / "fixtures" / "race_suites"
sys.path.insert(0, str(SCRIPT.parent))

import races  # type: ignore[import-not-found]  # noqa: E402


def test_names_and_tables_say_what_is_racy() -> None:
    labels = {
        name: [(each.name, each.is_racy) for each in races.SUITES[name].programs(SUITES / name)]
        for name in races.SUITES
    }
    assert labels == {
        "scor": [("norace_interblock_atom", False), ("race_interblock_none_waw", True)],
        "indigo": [("bfs_cuda_v_topo", False), ("bfs_cuda_v_topo_RaceBug", True)],
        "barracuda": [("base+SHARED+THREADS=33", True), ("base+THREADS=1", False), ("missing", False)],
    }
    first = next(races.indigo(SUITES / "indigo"))
    assert [Path(each).name for each in first.arguments] == ["small.egr"]


def test_what_counts_as_found() -> None:
    row = {"severity": "error", "check": "memory"}
    assert races.outcome([]) == races.outcome([row | {"severity": "warning"}]) == "nothing"
    assert races.outcome([row]) == "error"
    assert races.outcome([{"severity": "warning", "check": "race"}]) == "warning"
    assert races.outcome([{"severity": "error", "check": "host"}]) == "nothing"


@pytest.mark.skipif(
    not (REPOSITORY.emulator.exists() and (REPOSITORY.toolkit / "bin" / "nvcc").exists()),
    reason="needs `make tools`",
)
def test_recall_false_alarms_and_time_are_printed() -> None:
    words = [f"{name}={SUITES / name}" for name in ("scor", "barracuda")]
    done = subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.split("\nBarracuda's bug suite\n")
    for text in (first, second):
        assert "racy      1  found 1, warned about 0" in text
        assert "right     1  blamed 0, warned about 0" in text
        assert "published: " in text
    assert "right missing: does not compile" in second


def test_a_folder_without_programs_is_an_error(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, SCRIPT, f"scor={tmp_path}"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "holds no programs of ScoR" in done.stderr


def test_without_a_folder_it_says_what_to_fetch(capsys: pytest.CaptureFixture[str]) -> None:
    assert races.main([]) == races.main(["other=folder"]) == 2
    said = capsys.readouterr().err
    for name, suite in races.SUITES.items():
        assert f"make bench-races {name.upper()}=FOLDER" in said and suite.what in said
        assert list((SUITES / name).glob(suite.holds))
