"""lab.toml is read, and every error in it is reported with its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.fake_repository import LAB, LAB_TOML, write
from warpgrade.core import toml
from warpgrade.core.errors import InstructorError, UsageError
from warpgrade.core.paths import Repository
from warpgrade.course import arrays, lab, work
from warpgrade.records import Compilation, Lab, LabKind, Visibility


def loaded(tmp_path: Path, text: str) -> Lab:
    write(tmp_path / LAB / "lab.toml", text)
    return lab.load(tmp_path / LAB)


def test_load(repository: Repository) -> None:
    item = lab.load(repository.labs / LAB)
    assert item.name == LAB and item.kernels == ("fake_kernel",) and item.kind == "kernels"
    assert [case.name for case in item.cases] == ["first", "second", "third"]
    assert item.case("third").visibility is Visibility.HIDDEN
    assert item.case("second").size == (8, 8, 4)
    assert item.case("second").parameters == {"m": 8, "n": 8, "k": 4}
    assert item.work.rate == "flops" and item.performance.values == "zero-mean"
    assert item.performance.sizes == ((64, 64, 64),)
    technique = item.techniques[0]
    assert [name for name, _ in technique.where] == ["loads", "limit"]
    assert technique.not_met == technique.met and technique.slack == 1.25


def test_a_lab_of_vectors(tmp_path: Path) -> None:
    """Any parameters: nothing but lab.toml names them."""
    text = LAB_TOML.replace('C = ["m", "n"]', 'C = ["n + 2 * radius"]')
    text = re.sub(r"^k = (\{.*)$", r"radius = \1", text, flags=re.MULTILINE)
    text = re.sub(r"^[AB] = \[.*\]\n|^m = .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^k = ", "radius = ", text, flags=re.MULTILINE)
    text = re.sub(r"\[\[(\d+), \d+, \d+\]\]", r"[[\1, 3]]", text)
    text = re.sub(r"^flops = .*\nbytes = .*\n", 'flops = "0"\nbytes = "8*n"\n', text, flags=re.MULTILINE)
    text = re.sub(
        r"\[\[technique\]\].*?(?=\[performance\])",
        "",
        text.replace("build = 10", "build = 20"),
        flags=re.DOTALL,
    )
    item = loaded(tmp_path, text.replace('rate = "flops"', 'rate = "bytes"'))
    assert item.parameter_names == ("n", "radius") and item.case("third").size == (16, 8)
    assert arrays.shapes(item, item.case("third")) == {"C": (32,)}
    assert work.of(item, (64, 3)) == work.AmountOfWork(0.0, 512.0, 512.0)
    assert work.unit(item) == "GB/s" and work.rate(item, (64, 3), 1e-6) == 512.0


def test_how_a_lab_is_compiled(tmp_path: Path) -> None:
    usual = loaded(tmp_path, LAB_TOML).compilation
    assert usual == Compilation(75, ("-O3",), True)
    table = '[build]\narchitecture = 80\nptxas = ["-O3", "-O1"]\ntensor_cores = false\n\n[points]'
    item = loaded(tmp_path, LAB_TOML.replace("[points]", table, 1))
    assert item.compilation == Compilation(80, ("-O3", "-O1"), False) and not item.leaderboard


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(InstructorError, match="is missing"):
        lab.load(tmp_path / "05-none")


def test_find_lists_folders(repository: Repository) -> None:
    assert [item.name for item in lab.find(repository)] == [LAB]
    with pytest.raises(InstructorError, match="holds no lab"):
        lab.find(Repository(repository.root / "elsewhere"))


def test_an_unknown_name_lists_the_names(repository: Repository) -> None:
    with pytest.raises(UsageError) as caught:
        lab.named(repository, "../labs")
    assert LAB in caught.value.remedy


NAMES = ("01-basic", "02-tiled", "03-tiled-bounded", "10-scan")


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        *((word, "01-basic") for word in ("01-basic", "1", "Basic", "labs/01-basic", "./labs/01-basic/")),
        *((word, "02-tiled") for word in ("2", "02", "tiled")),
        *((word, "03-tiled-bounded") for word in ("bound", "03-t")),
        ("10", "10-scan"),
    ],
)
def test_a_word_means_a_lab(word: str, wanted: str) -> None:
    assert lab.meant(word, NAMES) == (wanted,)


def test_words_that_mean_several_or_none() -> None:
    assert lab.meant("0", NAMES) == NAMES[:3] and lab.meant("tile", NAMES) == NAMES[1:3]
    for word in ("", "/", "99", "kernel.cu"):
        assert lab.meant(word, NAMES) == ()
    assert lab.meant(f"mine/{NAMES[0]}", NAMES) == (), "a folder elsewhere is no lab"


def test_every_lab_of_the_course_is_whole() -> None:
    labs = lab.find(Repository(Path(__file__).resolve().parents[4]))
    assert len(labs) >= 4
    for item in (item for item in labs if item.kind is not LabKind.ANSWERS):
        kinds = {case.visibility for case in item.cases}
        assert kinds == set(Visibility), f"{item.name} has cases of every visibility"
        assert {case.values for case in item.cases} == set(item.values)


def test_a_text_that_was_in_shape_is_not_checked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toml, "checkout", lambda: tmp_path)
    asked: list[str] = []
    ask = toml._validator

    def noted(schema: str) -> object:
        asked.append("")
        return ask(schema)

    monkeypatch.setattr(toml, "_validator", noted)
    first = loaded(tmp_path, LAB_TOML)
    assert loaded(tmp_path, LAB_TOML) == first and len(asked) == 1
    for _ in range(2):
        with pytest.raises(InstructorError, match="unknown key 'sizess'"):
            loaded(tmp_path, LAB_TOML.replace('sizes = "any', 'sizess = "any'))
    assert len(asked) == 3


def test_other_kinds_need_no_kernel(tmp_path: Path) -> None:
    text = 'kind = "program"\ntitle = "T"\nteaches = ["x"]\nfiles = ["program.cu"]\nsizes = "none"\n'
    item = loaded(tmp_path, f"{text}[points]\nbuild = 100\n")
    assert item.kind == "program" and (item.kernels, item.cases, item.kernel) == ((), (), "")
    assert item.performance.points == 0 and item.limits.seconds == 20
    with pytest.raises(InstructorError, match="lacks the key 'kernels'"):
        loaded(tmp_path, f"{text.replace('program', 'kernels', 1)}[points]\nbuild = 100\n")


def test_a_lab_that_is_not_timed_on_a_gpu(tmp_path: Path) -> None:
    folder = tmp_path / LAB
    text = LAB_TOML.replace("gpu_sizes = [[1024, 1024, 1024]]\n", "")
    assert text != LAB_TOML
    write(folder / "lab.toml", text)
    assert lab.load(folder).performance.gpu_sizes == ()
