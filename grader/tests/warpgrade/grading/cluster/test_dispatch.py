"""What is missing is submitted until nothing is, whatever Slurm loses, holds or says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from support.slurm.fake_slurm import FakeArray, FakeSlurm, grade
from warpgrade.core.errors import GraderError
from warpgrade.grading.cluster.dispatch import Dispatch
from warpgrade.grading.cluster.settings import ClusterSettings, TaskSettings
from warpgrade.grading.cluster.work_folder import Unit, WorkFolder, WorkRequest
from warpgrade.grading.progress import Meter
from warpgrade.grading.result_file import ResultFile
from warpgrade.records import Result

REQUEST = WorkRequest("/course", "none", "h200", "emulator", "an emulator", False, {})
UNITS = {f"s{n}/lab/x": Unit("lab", f"s{n}", str(n), f"s{n}/lab/x") for n in range(6)}
SETTINGS = ClusterSettings(TaskSettings(chunk=3, partition="grade"), settle_seconds=0)
WITH_GPU = ClusterSettings(SETTINGS.emulate, TaskSettings(gres="gpu:1", chunk=4), settle_seconds=0)


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeSlurm:
    folder = WorkFolder(tmp_path / ".cluster")
    folder.make(REQUEST)
    fake = FakeSlurm(folder)
    fake.install(monkeypatch.setattr)
    return fake


class Reported(list[str]):
    def __contains__(self, word: object) -> bool:
        return any(str(word) in sentence for sentence in self)


def dispatch(
    cluster: FakeSlurm,
    script: Iterator[None],
    settings: ClusterSettings = SETTINGS,
    reported: Reported | None = None,
) -> Dispatch:
    cluster.script = script
    tell = (Reported() if reported is None else reported).append
    results = ResultFile(cluster.folder.path)
    return Dispatch(
        UNITS, cluster.folder, settings, ["warpgrade"], results, Meter(6, None), tell, cluster.clock()
    )


def statuses(results: Mapping[str, Result]) -> list[str]:
    assert results.keys() == UNITS.keys()
    return [results[unit].status for unit in UNITS]


def complete(cluster: FakeSlurm, *arrays: FakeArray) -> None:
    for array in arrays:
        for element in list(array.states):
            cluster.complete(array, element)


def test_every_submission_is_submitted_once_and_squeue_is_asked_seldom(cluster: FakeSlurm) -> None:
    cluster.pace = 2.0

    def script() -> Iterator[None]:
        for _ in range(100):
            yield
        complete(cluster, *cluster.arrays)

    assert statuses(dispatch(cluster, script()).run()) == ["graded"] * 6
    (array,) = cluster.arrays
    assert array.folders == [list(UNITS)[:3], list(UNITS)[3:]]
    assert array.option("partition") == "grade" and array.option("array") == "0-1%64"
    assert "--requeue" in array.words and array.option("gres") == ""
    gaps = [after - before for before, after in zip(cluster.asked, cluster.asked[1:], strict=False)]
    assert len(cluster.asked) > 5 and min(gaps) >= 30


def test_an_error_of_squeue_means_unknown(cluster: FakeSlurm) -> None:
    reported = Reported()

    def script() -> Iterator[None]:
        cluster.is_away = True
        for _ in range(20):
            yield
        assert len(cluster.arrays) == 1, "nothing is submitted again"
        cluster.is_away = False
        complete(cluster, *cluster.arrays)

    assert statuses(dispatch(cluster, script(), reported=reported).run()) == ["graded"] * 6
    assert "does not answer" in reported and len(cluster.arrays) == 1


def test_what_is_missing_when_an_array_has_ended_is_a_smaller_array(cluster: FakeSlurm) -> None:
    def script() -> Iterator[None]:
        first = cluster.arrays[0]
        cluster.complete(first, 0)
        journal = cluster.start(first, 1)
        grade(journal, first.elements[1][0])
        journal.write(stopped=False)  # preempted
        first.states.clear()
        while len(cluster.arrays) < 2:
            yield
        assert cluster.arrays[1].folders == [list(UNITS)[4:]], "no death: they travel together"
        complete(cluster, cluster.arrays[1])

    assert statuses(dispatch(cluster, script()).run()) == ["graded"] * 6


def test_three_deaths_are_enough(cluster: FakeSlurm) -> None:
    killer = "s1/lab/x"
    cluster.folder.logs.joinpath("3.0.n3.log").write_text("Killed")

    def script() -> Iterator[None]:
        cluster.complete(cluster.arrays[0], 1)
        cluster.die(cluster.arrays[0], 0, "n1", at=1)
        while len(cluster.arrays) < 3:
            yield
        alone, others = cluster.arrays[1:]
        assert alone.folders == [[killer]] and alone.option("exclude") == "n1"
        assert others.folders == [["s2/lab/x"]] and others.option("exclude") == ""
        complete(cluster, others)
        cluster.die(alone, 0, "n2")
        while len(cluster.arrays) < 4:
            yield
        assert cluster.arrays[3].option("exclude") == "n1,n2"
        cluster.die(cluster.arrays[3], 0, "n3")

    found = dispatch(cluster, script())
    results = found.run()
    assert statuses(results) == ["graded", "withheld", *["graded"] * 4] and found.troubles.given_up == 1
    problem = results[killer].problem
    assert problem is not None and problem.fault == "grader" and problem.remedy
    assert "3 tasks died" in problem.message and "n1, n2, n3" in problem.message
    assert len(cluster.arrays) == 4, "it is not tried for ever"


def test_a_node_where_a_task_died_is_better_than_none(cluster: FakeSlurm) -> None:
    def script() -> Iterator[None]:
        cluster.complete(cluster.arrays[0], 1)
        cluster.die(cluster.arrays[0], 0, "n1", at=2)
        while len(cluster.arrays) < 2:
            yield
        alone = cluster.arrays[1]
        assert alone.option("exclude") == "n1"
        alone.states[0] = "no node"  # the only other one is drained
        while len(cluster.arrays) < 3:
            yield
        again = cluster.arrays[2]
        assert f"{alone.job}_0" in cluster.cancelled
        assert again.folders == alone.folders and again.option("exclude") == ""
        again.states[0] = "no node"  # now that one, too: there is nothing to do but wait
        for _ in range(5):
            yield
        assert len(cluster.arrays) == 3
        cluster.complete(again, 0)

    reported = Reported()
    assert statuses(dispatch(cluster, script(), reported=reported).run()) == ["graded"] * 6
    assert "may take 1 of the tasks" in reported


def test_a_node_that_cannot_grade_is_excluded_and_named(cluster: FakeSlurm) -> None:
    reported = Reported()

    def script() -> Iterator[None]:
        cluster.start(cluster.arrays[0], 0, "n1").write(unfit="bwrap does not start")
        cluster.arrays[0].states.pop(0)
        cluster.complete(cluster.arrays[0], 1, "n2")
        while len(cluster.arrays) < 2:
            yield
        assert cluster.arrays[1].option("exclude") == "n1"
        complete(cluster, cluster.arrays[1])

    assert statuses(dispatch(cluster, script(), reported=reported).run()) == ["graded"] * 6
    assert "n1 is not used any more: bwrap does not start" in reported


def test_a_node_on_which_every_task_dies_is_excluded(cluster: FakeSlurm) -> None:
    reported = Reported()
    settings = ClusterSettings(TaskSettings(chunk=1), settle_seconds=0)

    def script() -> Iterator[None]:
        for element in range(3):
            cluster.die(cluster.arrays[0], element, "bad")
        for element in range(3, 6):
            cluster.complete(cluster.arrays[0], element, "good")
        while len(cluster.arrays) < 2:
            yield
        complete(cluster, *cluster.arrays[1:])

    assert statuses(dispatch(cluster, script(), settings, reported).run()) == ["graded"] * 6
    assert "node bad is not used any more: 3 tasks in a row" in reported and "good" not in reported


def test_what_slurm_keeps_back_is_submitted_again_and_cancelled(cluster: FakeSlurm) -> None:
    def script() -> Iterator[None]:
        cluster.complete(cluster.arrays[0], 0)
        cluster.arrays[0].states[1] = "kept"  # requeued after its node was lost
        while len(cluster.arrays) < 2:
            yield
        assert f"{cluster.arrays[0].job}_1" in cluster.cancelled
        assert cluster.arrays[1].folders == [list(UNITS)[3:]]
        cluster.complete(cluster.arrays[1], 0)

    assert statuses(dispatch(cluster, script()).run()) == ["graded"] * 6


def test_what_slurm_forgot_to_end_is_cancelled(cluster: FakeSlurm) -> None:
    def script() -> Iterator[None]:
        cluster.complete(cluster.arrays[0], 0)
        cluster.arrays[0].states[0] = "R"  # the controller was killed and does not know
        while not cluster.cancelled:
            yield
        assert cluster.cancelled == [f"{cluster.arrays[0].job}_0"]
        complete(cluster, *cluster.arrays)

    assert statuses(dispatch(cluster, script()).run()) == ["graded"] * 6


def test_what_is_kept_back_may_wait_while_others_wait_for_a_node(cluster: FakeSlurm) -> None:
    def script() -> Iterator[None]:
        cluster.arrays[0].states[1] = "kept"
        for _ in range(5):
            yield
        assert len(cluster.arrays) == 1 and not cluster.cancelled
        complete(cluster, *cluster.arrays)

    assert statuses(dispatch(cluster, script()).run()) == ["graded"] * 6


def test_a_task_that_says_nothing_any_more_is_dead_whatever_squeue_says(cluster: FakeSlurm) -> None:
    def script() -> Iterator[None]:
        cluster.complete(cluster.arrays[0], 1)
        journal = cluster.start(cluster.arrays[0], 0)
        for _ in range(10):
            journal.write(alive=True)
            yield
        assert len(cluster.arrays) == 1
        while len(cluster.arrays) < 2:
            yield
        assert f"{cluster.arrays[0].job}_0" in cluster.cancelled
        complete(cluster, *cluster.arrays[1:])

    assert statuses(dispatch(cluster, script()).run()) == ["graded"] * 6


def test_a_restart_of_the_controller_is_ridden_out(cluster: FakeSlurm) -> None:
    cluster.is_away = True

    def script() -> Iterator[None]:
        for _ in range(5):
            yield
        assert not cluster.arrays
        cluster.is_away = False
        while not cluster.arrays:
            yield
        complete(cluster, *cluster.arrays)

    assert statuses(dispatch(cluster, script()).run()) == ["graded"] * 6
    assert len(cluster.arrays) == 1


def test_an_array_that_slurm_took_without_an_answer_is_adopted(cluster: FakeSlurm) -> None:
    cluster.loses_answers = True

    def script() -> Iterator[None]:
        cluster.loses_answers = False
        yield
        yield
        assert cluster.folder.submitted()[0].job == cluster.arrays[0].job
        complete(cluster, *cluster.arrays)

    assert statuses(dispatch(cluster, script()).run()) == ["graded"] * 6
    assert len(cluster.arrays) == 1


def test_what_sbatch_refuses_is_said(cluster: FakeSlurm) -> None:
    cluster.refusal = "invalid partition specified: grade"
    with pytest.raises(GraderError, match="invalid partition") as caught:
        dispatch(cluster, iter(())).run()
    assert "cluster.toml" in caught.value.remedy


def test_tasks_that_end_before_they_begin(cluster: FakeSlurm) -> None:
    def script() -> Iterator[None]:
        while True:
            for array in cluster.arrays:
                cluster.folder.logs.joinpath(f"{array.number}.0.n1.log").write_text("python: not found")
                array.states.clear()
            yield

    with pytest.raises(GraderError, match="python: not found") as caught:
        dispatch(cluster, script()).run()
    assert "every node" in caught.value.remedy and len(cluster.arrays) == 3


def test_the_same_command_takes_up_what_runs(cluster: FakeSlurm) -> None:
    def stopped() -> Iterator[None]:
        cluster.complete(cluster.arrays[0], 0)
        yield
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dispatch(cluster, stopped()).run()
    assert not cluster.cancelled, "the executor decides that"

    def script() -> Iterator[None]:
        cluster.complete(cluster.arrays[0], 1)
        yield

    reported = Reported()
    assert statuses(dispatch(cluster, script(), reported=reported).run()) == ["graded"] * 6
    assert len(cluster.arrays) == 1 and "taking up" in reported


def test_taken_up_without_an_answer_of_squeue_nothing_is_submitted(cluster: FakeSlurm) -> None:
    def stopped() -> Iterator[None]:
        raise KeyboardInterrupt
        yield

    with pytest.raises(KeyboardInterrupt):
        dispatch(cluster, stopped()).run()
    cluster.is_away = True

    def script() -> Iterator[None]:
        for _ in range(3):
            yield
        assert len(cluster.arrays) == 1
        cluster.arrays[0].states.clear()  # cancelled by somebody
        cluster.is_away = False
        while len(cluster.arrays) < 2:
            yield
        complete(cluster, cluster.arrays[1])

    assert statuses(dispatch(cluster, script()).run()) == ["graded"] * 6


def test_only_what_a_gpu_must_do_is_submitted_for_one(cluster: FakeSlurm) -> None:
    def script() -> Iterator[None]:
        for element in (0, 1):
            journal = cluster.start(cluster.arrays[0], element)
            for number, unit in enumerate(cluster.arrays[0].elements[element]):
                if number == 0:  # does not compile
                    grade(journal, unit)
                else:
                    journal.write(begin=unit.folder)
                    journal.write(end=unit.folder, waits=True)
            journal.write(finished=True)
            cluster.arrays[0].states.pop(element)
        while len(cluster.arrays) < 2:
            yield
        timing = cluster.arrays[1]
        assert timing.stage == "time" and timing.option("gres") == "gpu:1"
        assert timing.folders == [[f"s{n}/lab/x" for n in (1, 2, 4, 5)]]
        complete(cluster, timing)

    assert statuses(dispatch(cluster, script(), WITH_GPU).run()) == ["graded"] * 6


def test_times_on_another_gpu_are_reported_and_not_scored(cluster: FakeSlurm) -> None:
    reported = Reported()
    cluster.excludable = {"n7"}

    def script() -> Iterator[None]:
        for element in (0, 1):
            journal = cluster.start(cluster.arrays[0], element)
            for unit in cluster.arrays[0].elements[element]:
                journal.write(end=unit.folder, waits=True)
            journal.write(finished=True)
            cluster.arrays[0].states.pop(element)
        while len(cluster.arrays) < 2:
            yield
        for element in (0, 1):
            cluster.start(cluster.arrays[1], element, "n7").write(unfit="its GPU is NVIDIA A100")
        cluster.arrays[1].states.clear()

    results = dispatch(cluster, script(), WITH_GPU, reported).run()
    assert statuses(results) == ["withheld"] * 6 and "NVIDIA A100" in reported
    problem = results["s0/lab/x"].problem
    assert (
        problem is not None and problem.fault == "grader" and "n7: its GPU is NVIDIA A100" in problem.message
    )
