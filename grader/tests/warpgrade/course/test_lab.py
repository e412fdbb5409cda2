"""lab.toml is read, and every error in it is reported with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fake_repository import LAB, LAB_TOML, write
from warpgrade.core import toml
from warpgrade.core.errors import InstructorError, UsageError
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.records import Compilation, Lab, Visibility


def loaded(tmp_path: Path, text: str) -> Lab:
    write(tmp_path / LAB / "lab.toml", text)
    return lab.load(tmp_path / LAB)


def test_load(repository: Repository) -> None:
    item = lab.load(repository.labs / LAB)
    assert item.name == LAB and item.kernel == "fake_kernel"
    assert [case.name for case in item.cases] == ["first", "second", "third"]
    assert item.case("third").visibility is Visibility.HIDDEN
    assert item.case("second").size == (8, 8, 4)
    assert item.performance.sizes == ((64, 64, 64),)
    assert item.techniques[0].smallest_tile == 2 and item.techniques[0].at_least is None


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("build = 10", "biuld = 10", 8, "unknown key 'biuld' in points"),
        ("m = 8\nn = 8", "m = 0\nn = 8", 21, "case[2].m: 0 is less than the minimum of 1"),
        ('values = "integers"', 'values = "large"', 15, "'large' is not one of"),
        ('name = "second"', 'name = "first"', 20, "two cases have the name 'first'"),
        ('case = "first"', 'case = "fourth"', 40, "there is no case 'fourth'"),
        ("smallest_tile = 2", "at_least = 4", 37, "needs the key 'smallest_tile'"),
        ("full = 0.90", "full = 0.10", 48, "must be greater"),
        ("build = 10", "build = 11", 8, "make 101 points, not 100"),
        ("build = 10", "build = = 10", 8, "Invalid value"),
        ('files = ["kernel.cu"]', 'files = ["../kernel.cu"]', 4, "does not match"),
    ],
    ids=["unknown-key", "minimum", "choice", "twice", "case", "evidence", "order", "sum", "syntax", "path"],
)
def test_mistakes_name_their_line(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    assert old in LAB_TOML
    with pytest.raises(InstructorError) as caught:
        loaded(tmp_path, LAB_TOML.replace(old, new, 1))
    assert caught.value.line == line, str(caught.value)
    assert words in str(caught.value)
    assert caught.value.exit_code == 3


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


def test_named_tells_the_names(repository: Repository) -> None:
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


def test_every_lab_of_the_course_is_whole() -> None:
    labs = lab.find(Repository(Path(__file__).resolve().parents[4]))
    assert len(labs) >= 4
    for item in labs:
        kinds = {case.visibility for case in item.cases}
        assert kinds == set(Visibility), f"{item.name} has cases of every visibility"
        assert {case.values for case in item.cases} == {"integers", "zero-mean"}


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
