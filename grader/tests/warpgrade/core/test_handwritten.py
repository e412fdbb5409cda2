"""Whatever stands in place of a file that a person should have written, the error names it and a remedy."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from warpgrade.core import handwritten, toml
from warpgrade.core.errors import InstructorError
from warpgrade.core.paths import Repository
from warpgrade.course import lab, policy
from warpgrade.grading import by_hand
from warpgrade.run import datasets
from warpgrade.submission import roster


def _too_large(file: Path) -> None:
    with file.open("wb") as stream:
        stream.truncate(100 << 20)


THINGS: dict[str, Callable[[Path], object]] = {
    "is a folder, not a file": lambda file: file.mkdir(),
    "is not a regular file": os.mkfifo,
    "too large": _too_large,
    "UTF-8": lambda file: file.write_bytes(b"student\xff"),
    "cannot be read": lambda file: file.symlink_to(file),
    "is a link to a file that is missing": lambda file: file.symlink_to(file.parent / "not mounted"),
}
READERS: dict[str, Callable[[Path], object]] = {
    "text": lambda file: handwritten.text(file, "write it"),
    "toml": lambda file: toml.load(file, {}),
    "policy": policy.load,
    "roster": roster.load,
    "salt": lambda file: datasets.secret(Repository(file.parent.parent)),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("says", THINGS)
def test_a_mistake_is_reported(
    says: str, reader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WARPGRADE_SALT", raising=False)
    file = tmp_path / "datasets" / ".salt"
    file.parent.mkdir()
    THINGS[says](file)
    with pytest.raises(InstructorError) as caught:
        READERS[reader](file)
    assert says in caught.value.message
    assert (caught.value.file, bool(caught.value.remedy)) == (file, True)


@pytest.mark.parametrize("name", ["policy.toml", "roster.csv"])
def test_a_file_of_the_term_that_is_a_broken_link_is_not_passed_over(name: str, tmp_path: Path) -> None:
    """Due dates of a folder that is not mounted would be gone without a word."""
    out = tmp_path / "out"
    out.mkdir()
    (out / name).symlink_to(tmp_path / "not mounted")
    found = by_hand.place(Repository(tmp_path), out, name)
    assert found == out / name and handwritten.is_there(found)
    with pytest.raises(InstructorError, match="is a link to a file that is missing"):
        by_hand.find(Repository(tmp_path), out) if name == by_hand.POLICY else roster.load(found)


def test_a_lab_whose_facts_are_a_broken_link_is_still_a_lab(tmp_path: Path) -> None:
    (tmp_path / "labs" / "01-one").mkdir(parents=True)
    (tmp_path / "labs" / "common").mkdir()
    (tmp_path / "labs" / "01-one" / "lab.toml").symlink_to(tmp_path / "not mounted")
    assert Repository(tmp_path).lab_names() == ["01-one"]
    with pytest.raises(InstructorError, match="is a link to a file that is missing"):
        lab.find(Repository(tmp_path))


def test_a_mark_of_byte_order_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbfa")
    assert handwritten.text(tmp_path / "file", "") == "a"


def test_where_permission_is_missing_the_remedy_gives_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a b.toml"
    file.write_text("")

    def refused(self: Path) -> bytes:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "read_bytes", refused)
    with pytest.raises(InstructorError, match="Permission denied") as caught:
        handwritten.content(file, "write it")
    assert f"chmod u+r '{file}'" in caught.value.remedy
