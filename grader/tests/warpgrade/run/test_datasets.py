"""Data is made once for each salt, and only hidden cases depend on the secret."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from support.fake_repository import LAB, write
from warpgrade.core.errors import GraderError, InstructorError
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.records import ArrayShape, Draw, Lab, LabKind
from warpgrade.run import datasets


@pytest.fixture
def item(repository: Repository) -> Lab:
    return lab.load(repository.labs / LAB)


def test_seed(item: Lab) -> None:
    visible, by_name, hidden = item.cases
    digest = hashlib.sha256(b"warpgrade|public|07-fake|first").digest()
    assert datasets.seed(item.name, visible, "secret") == int.from_bytes(digest[:8], "big")
    assert datasets.seed(item.name, by_name, "a") == datasets.seed(item.name, by_name, "b")
    assert datasets.seed(item.name, hidden, "a") != datasets.seed(item.name, hidden, "b")


def test_the_secret(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WARPGRADE_SALT", raising=False)
    assert datasets.secret(repository) == "default"
    write(repository.salt, "of the file\n")
    assert datasets.secret(repository) == "of the file"
    monkeypatch.setenv("WARPGRADE_SALT", "of the environment")
    assert datasets.secret(repository) == "of the environment"
    monkeypatch.delenv("WARPGRADE_SALT")
    write(repository.salt, "\n")
    with pytest.raises(InstructorError, match="is empty"):
        datasets.secret(repository)


def test_a_secret_that_is_no_text(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WARPGRADE_SALT", raising=False)
    repository.salt.parent.mkdir(parents=True, exist_ok=True)
    repository.salt.write_bytes(b"caf\xe9\n")
    with pytest.raises(InstructorError, match="is not UTF-8"):
        datasets.secret(repository)
    repository.salt.unlink()
    os.mkfifo(repository.salt)
    with pytest.raises(InstructorError, match="is not a regular file"):
        datasets.secret(repository)
    monkeypatch.setenv("WARPGRADE_SALT", os.fsdecode(b"caf\xe9"))
    with pytest.raises(InstructorError, match="is not UTF-8"):
        datasets.secret(repository)


def test_prepare_once_for_each_salt(repository: Repository, item: Lab) -> None:
    folder = datasets.prepare(repository, item, "one")
    asked = json.loads((folder / "cases.json").read_text())
    assert asked["lab"] == LAB and [case["name"] for case in asked["cases"]] == ["first", "second", "third"]
    assert all(isinstance(case["seed"], str) and 0 <= int(case["seed"]) < 2**64 for case in asked["cases"])
    stamp = folder.stat().st_ino
    assert datasets.prepare(repository, item, "one").stat().st_ino == stamp
    assert datasets.prepare(repository, item, "two") != folder
    assert len(list(folder.parent.iterdir())) == 2


def test_other_cases_are_other_data(repository: Repository, item: Lab) -> None:
    other = replace(item, cases=item.cases[:2])
    assert datasets.prepare(repository, item, "s") != datasets.prepare(repository, other, "s")


def test_hidden_cases_come_last(item: Lab) -> None:
    """A kernel has a memory from case to case, and what it shows of a visible one is shown."""
    backwards = replace(item, cases=item.cases[::-1])
    names = [row["name"] for row in datasets._cases(backwards, "salt", fresh=True)["cases"]]  # type: ignore[attr-defined]
    assert names == [case.name for case in item.cases]


def test_a_generator_that_fails(repository: Repository, item: Lab) -> None:
    write(repository.harness(LAB), "#!/bin/sh\necho no room >&2\nexit 1\n")
    with pytest.raises(GraderError, match="no room"):
        datasets.prepare(repository, item, "s")
    assert not Path(repository.datasets / LAB).exists()
    repository.harness(LAB).unlink()
    with pytest.raises(GraderError, match="is missing"):
        datasets.prepare(repository, item, "s")


def test_a_harness_that_asks_for_what_the_lab_does_not_have(repository: Repository, item: Lab) -> None:
    write(repository.harness(LAB), "#!/bin/sh\necho harness: no parameter called q >&2\nexit 2\n")
    with pytest.raises(InstructorError, match=r"harness\.cpp: no parameter called q") as caught:
        datasets.prepare(repository, item, "s")
    assert caught.value.remedy


def test_a_damaged_harness_that_a_shell_tries_to_read(repository: Repository, item: Lab) -> None:
    """A shell's exit code for a mistake of syntax is the one of a harness that lacks a parameter."""
    write(repository.harness(LAB), "#!/bin/sh\nfi\n")
    with pytest.raises(GraderError, match="failed: ") as caught:
        datasets.prepare(repository, item, "s")
    assert caught.value.file == repository.harness(LAB) and "make clean tools" in caught.value.remedy


def test_an_array_that_the_harness_does_not_make(repository: Repository, item: Lab) -> None:
    folder = datasets.prepare(repository, item, "s")
    text = (folder / "cases.json").read_text()
    arrays = [{"name": name, "shape": [1], "type": "float"} for name in "AB"]
    (folder / "cases.json").write_text(text.replace('"arrays": []', f'"arrays": {json.dumps(arrays)}'))
    with pytest.raises(
        InstructorError, match=r"lab\.toml:17: arrays\.C: harness.cpp makes no array"
    ) as caught:
        datasets.need_known_arrays(item, folder, repository)
    assert caught.value.remedy == "its arrays are A, B"


def test_shapes_that_lab_toml_leaves_to_the_harness(repository: Repository, item: Lab) -> None:
    """As names of parameters, where these say the same in every case."""
    folder = datasets.prepare(repository, item, "s")
    listed = json.loads((folder / "cases.json").read_text())
    for case, row in zip(item.cases, listed["cases"], strict=True):
        m, n = case.parameters["m"], case.parameters["n"]
        shapes = {"C": (n, m), "turned": (n, m), "flat": (m,), "other": (m, n + 1)}
        row["name"] = case.name
        row["arrays"] = [{"name": name, "shape": of, "type": "float"} for name, of in shapes.items()]
    (folder / "cases.json").write_text(json.dumps(listed))
    found = datasets.with_arrays(item, folder).arrays
    assert found == (*item.arrays, ArrayShape("turned", ("n", "m")))
    program = replace(item, kind=LabKind.PROGRAM)
    assert datasets.with_arrays(program, folder) == program


def test_where_a_class_is_graded_no_value_is_public(item: Lab) -> None:
    for case in item.cases:
        assert datasets.seed(item.name, case, "a", fresh=True) != datasets.seed(
            item.name, case, "b", fresh=True
        )
        assert datasets.seed(item.name, case, "a", fresh=True) != datasets.seed(item.name, case, "public")


def test_what_is_timed_depends_on_secret_and_submission() -> None:
    seeds = {datasets.timing_seed("lab", hash, salt) for hash in ("one", "two") for salt in ("a", "b")}
    assert len(seeds) == 4 and all(0 <= seed < 2**64 for seed in seeds)
    assert datasets.timing_seed("lab", "one", "a") == datasets.timing_seed("lab", "one", "a")


def test_each_secret_draws_its_own_sizes(item: Lab) -> None:
    draws = tuple(Draw(name, 1, 1000) for name in "abc")
    case = replace(item.cases[1], drawn=("a", "b", "2*c"))
    performance = replace(item.performance, drawn=(("c", "b", "a"),))
    item = replace(item, draws=draws, cases=(item.cases[0], case), performance=performance)
    assert datasets.drawn(item, datasets.DEFAULT_SALT) == item
    one, other = datasets.drawn(item, "one"), datasets.drawn(item, "other")
    assert one == datasets.drawn(item, "one") and one.cases[1].size != other.cases[1].size
    assert one.performance.sizes != other.performance.sizes and one.cases[0] == item.cases[0]
    a, b, c = one.cases[1].size
    assert one.performance.sizes == ((c // 2, b, a),) and all(1 <= each <= 1000 for each in (a, b, c // 2))
