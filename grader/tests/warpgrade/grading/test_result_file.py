"""Results outside memory."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support import sample_results
from warpgrade.core.errors import GraderError
from warpgrade.grading.result_file import ResultFile
from warpgrade.records import Result, StageRecords

RESULTS = [one for student in sample_results.grades().students for one in student.results]


def _light(result: Result) -> Result:
    return Result(result.lab, result.status, StageRecords(), result.judgement, result.score, result.problem)


def test_results_come_back_as_they_were(tmp_path: Path) -> None:
    """Threads add and read at the same time."""
    results = ResultFile(tmp_path)

    def add_and_read(number: int) -> bool:
        mine = _light(RESULTS[number % len(RESULTS)])
        results.add(str(number), mine)
        return results[str(number)] == mine

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(add_and_read, range(200)))
    assert set(results) == {str(number) for number in range(200)} and len(results) == 200
    assert "7" in results and "200" not in results
    with pytest.raises(KeyError):
        results["200"]


def test_it_leaves_no_file(tmp_path: Path) -> None:
    ResultFile(tmp_path).add("one", _light(RESULTS[0]))
    assert not list(tmp_path.iterdir())


def test_a_disk_that_refuses_is_named(tmp_path: Path) -> None:
    with pytest.raises(GraderError, match="cannot be written"):
        ResultFile(tmp_path / "nowhere")
