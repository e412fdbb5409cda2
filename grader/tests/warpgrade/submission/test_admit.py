"""An entry of the class folder becomes one lab's files."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from support.fake_repository import GOOD, LAB, write
from warpgrade.core.errors import SubmissionError, UsageError
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.records import Lab, Problem, Submission
from warpgrade.submission import admit
from warpgrade.submission.admit import SubmissionEntry
from warpgrade.submission.archive import Contents

_NOBODY = 65534


@pytest.fixture
def as_nobody() -> Iterator[Path]:
    """A folder of an unprivileged user, whom modes of files bind."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if os.geteuid():
            yield folder
            return
        os.chown(folder, _NOBODY, _NOBODY)
        os.seteuid(_NOBODY)
        try:
            yield folder
        finally:
            os.seteuid(0)


@pytest.mark.parametrize("closed", ["alice", "alice/hw", "alice/hw/kernel.cu"])
def test_what_cannot_be_read_is_named(as_nobody: Path, closed: str) -> None:
    write(as_nobody / "alice" / "hw" / "kernel.cu", "k")
    (as_nobody / closed).chmod(0)
    found = admit.read(SubmissionEntry("alice", "alice", as_nobody / "alice"))
    (as_nobody / closed).chmod(0o700)
    notes = [found.message] if isinstance(found, Problem) else found.notes
    assert len(notes) == 1 and "cannot be read: Permission denied" in notes[0]


@pytest.mark.parametrize(("closed", "mode"), [("hw", 0), ("hw", 0o400), ("hw/kernel.cu", 0)])
def test_a_missing_permission_is_no_missing_file(item: Lab, as_nobody: Path, closed: str, mode: int) -> None:
    write(as_nobody / "alice" / "hw" / "kernel.cu", "k")
    (as_nobody / "alice" / closed).chmod(mode)
    entry = SubmissionEntry("alice", "alice", as_nobody / "alice")
    found = admit.read(entry)
    (as_nobody / "alice" / closed).chmod(0o700)
    assert isinstance(found, Contents)
    problem = admit.nothing_fits(entry, found, [item])
    assert f"no permission to read {closed}" in problem.message and "no source file" not in problem.message
    assert problem.remedy.startswith("type `chmod -R u+rX")


@pytest.mark.parametrize("name", ["alice.zip", "alice.cu", "alice"])
def test_a_closed_entry_comes_with_the_command_that_opens_it(item: Lab, as_nobody: Path, name: str) -> None:
    write(as_nobody / name / "kernel.cu" if name == "alice" else as_nobody / name, "k")
    (as_nobody / name).chmod(0)
    entry = SubmissionEntry("alice", "alice", as_nobody / name)
    found = admit.read(entry)
    (as_nobody / name).chmod(0o700)
    assert isinstance(found, Contents)
    problem = admit.nothing_fits(entry, found, [item])
    assert f"no permission to read {name}" in problem.message and "chmod -R u+rX" in problem.remedy


def test_a_closed_part_leaves_the_others(as_nobody: Path) -> None:
    for name in ("one.cu", "two.zip", "three.cu"):
        write(as_nobody / name, "k")
    for name in ("one.cu", "two.zip"):
        (as_nobody / name).chmod(0)
    parts = tuple((name, as_nobody / name) for name in ("one.cu", "two.zip", "three.cu"))
    found = admit.read(SubmissionEntry("alice", "alice", as_nobody / "one.cu", parts))
    assert isinstance(found, Contents)
    assert list(found.files) == ["three.cu"] and found.closed == ("one.cu", "two.zip")


def test_a_closed_lab_among_others_is_refused_by_itself(item: Lab, as_nobody: Path) -> None:
    write(as_nobody / "alice" / LAB / "kernel.cu", "k")
    write(as_nobody / "alice" / "01-other" / "kernel.cu", "k")
    (as_nobody / "alice" / LAB / "kernel.cu").chmod(0)
    entry = SubmissionEntry("alice", "alice", as_nobody / "alice")
    found = admit.read(entry)
    assert isinstance(found, Contents)
    assert admit.admit(entry, found, replace(item, name="01-other"), False, [LAB, "01-other"]) is not None
    with pytest.raises(SubmissionError, match=f"no permission to read {LAB}/kernel.cu") as caught:
        admit.admit(entry, found, item, False, [LAB, "01-other"])
    assert caught.value.remedy.startswith("type `chmod -R u+rX")


def test_one_closed_file_leaves_the_others(as_nobody: Path) -> None:
    for name in ("a", "b"):
        write(as_nobody / "alice" / name / "kernel.cu", name)
    (as_nobody / "alice" / "a" / "kernel.cu").chmod(0)
    found = admit.read(SubmissionEntry("alice", "alice", as_nobody / "alice"))
    assert isinstance(found, Contents) and found.files == {"b/kernel.cu": b"b"}


@pytest.fixture
def item(repository: Repository) -> Lab:
    return lab.load(repository.labs / LAB)


def admitted(item: Lab, files: dict[str, bytes], only_lab: bool = False) -> Submission | None:
    entry = SubmissionEntry("alice", "alice", Path("alice.zip"))
    return admit.admit(entry, Contents(files), item, only_lab, [LAB, "01-other"])


@pytest.mark.parametrize(
    "path",
    [f"{LAB}/kernel.cu", f"homework/{LAB}/kernel.cu", f"a/b/{LAB}/kernel.cu"],
    ids=["plain", "top", "deep"],
)
def test_the_labs_folder_is_found(item: Lab, path: str) -> None:
    found = admitted(item, {path: b"k", "01-other/kernel.cu": b"x"})
    assert found is not None and found.source("kernel.cu") == "k"


@pytest.mark.parametrize("path", ["kernel.cu", "alice.cu", "top/kernel.cu", "KERNEL.CU"])
def test_with_one_lab_the_file_alone_will_do(item: Lab, path: str) -> None:
    found = admitted(item, {path: b"k"}, only_lab=True)
    assert found is not None and found.files[0].name == "kernel.cu"
    assert admitted(item, {path: b"k"}) is None


@pytest.mark.parametrize("path", ["01-other/kernel.cu", "01-other/mine.cu", "homework/01-other/kernel.cu"])
def test_what_is_called_another_lab_is_not_this_one(item: Lab, path: str) -> None:
    assert admitted(item, {path: b"k"}, only_lab=True) is None


def test_answers_and_kernels_do_not_make_one_another_ambiguous(item: Lab) -> None:
    """With one lab, a single file of its type may have any name, whatever lies beside it."""
    answers = replace(item, files=("answers.toml",))
    both = {"mine (2).cu": b"kernel", "mine (2).toml": b"[answers]"}
    for lab_of, text in ((item, "kernel"), (answers, "[answers]")):
        found = admitted(lab_of, both, only_lab=True)
        assert found is not None and [file.text for file in found.files] == [text]


@pytest.mark.parametrize("other", ["kernel (1).cu", "kernel_v2.cu", "old/kernel.cu"])
@pytest.mark.parametrize(("folder", "only_lab"), [("", True), (f"{LAB}/", False)])
def test_which_of_several_files_counts_is_said(item: Lab, folder: str, only_lab: bool, other: str) -> None:
    given = {f"{folder}kernel.cu": b"k", folder + other: b"v2", "01-other/mine.cu": b"x", "a.toml": b""}
    found = admitted(item, given, only_lab)
    assert found is not None and found.source("kernel.cu") == "k" and found.unused == (folder + other,)
    assert found.notes == (f"graded {folder}kernel.cu; left out {folder}{other}",)


def test_copies_and_skeletons_are_no_choice(item: Lab) -> None:
    given = {"kernel.cu": b"k", "kernel (1).cu": b"k", "original/kernel.cu": b"skeleton", "new.cuh": b""}
    found = admitted(item, {f"{LAB}/{name}": text for name, text in given.items()})
    assert found is not None and found.unused == found.notes == ()


def test_nothing_for_this_lab(item: Lab) -> None:
    assert admitted(item, {"01-other/kernel.cu": b"k"}) is None
    assert admitted(item, {"one.cu": b"k", "two.cu": b"k"}, only_lab=True) is None


def test_the_nearest_counts_and_two_as_near_are_refused(item: Lab) -> None:
    found = admitted(item, {f"{LAB}/kernel.cu": b"new", f"old/{LAB}/kernel.cu": b"old"})
    assert found is not None and found.source("kernel.cu") == "new"
    with pytest.raises(SubmissionError, match="which one is meant"):
        admitted(item, {f"a/{LAB}/kernel.cu": b"1", f"b/{LAB}/kernel.cu": b"2"})


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"\xef\xbb\xbfint a;\r\nint b;\r\n", "int a;\nint b;\n"),
        ("int ä;\n".encode("utf-16"), "int ä;\n"),
        ("int a;\n".encode("utf-16-le"), "int a;\n"),
        ("int ä; // 10 µs\n".encode("utf-16-be"), "int ä; // 10 µs\n"),
        ("int ä;\n".encode("utf-32"), "int ä;\n"),
        ("// ä\n".encode("latin-1"), "// ä\n"),
        (b"a\rb\r", "a\nb\n"),
        (b"", ""),
    ],
    ids=[
        "mark-and-windows",
        "utf-16",
        "utf-16-little",
        "utf-16-big",
        "utf-32",
        "latin-1",
        "old-mac",
        "empty",
    ],
)
def test_text_is_normalised_and_keeps_its_lines(item: Lab, content: bytes, text: str) -> None:
    found = admitted(item, {"kernel.cu": content}, only_lab=True)
    assert found is not None and found.files[0].text == text
    assert bool(found.files[0].notes) == (content != b"")


def test_the_hash_is_of_the_text(item: Lab) -> None:
    plain, windows, other = (
        admitted(item, {"kernel.cu": content}, only_lab=True)
        for content in (b"a\nb\n", b"a\r\nb\r\n", b"a\nc\n")
    )
    assert plain and windows and other
    assert plain.hash == windows.hash != other.hash


def test_entries_have_safe_names_of_their_own(tmp_path: Path) -> None:
    names = [
        "Bob.zip",
        "bob.tar.gz",
        "José Álvarez",
        "Groß-Müller",
        "=cmd()",
        "日本",
        "Ω.zip",
        ".DS_Store",
        "__MACOSX",
    ]
    for name in names:
        write(tmp_path / name, "")
    found, notes = admit.entries(tmp_path)
    ids = [entry.student for entry in found]
    assert len(found) == 7 and len({name.casefold() for name in ids}) == 7
    assert all(
        set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") for name in ids
    )
    assert {"Jose-Alvarez", "Gross-Muller"} <= set(ids)
    assert len(notes) == 2


def test_unprintable_names(tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path) + b"/a\n\xff\x1b[31m.zip"
    Path(os.fsdecode(raw)).write_bytes(b"")
    found, _ = admit.entries(tmp_path)
    assert found[0].name.isprintable()
    found[0].name.encode("utf-8")
    problem = admit.read(found[0])
    assert isinstance(problem, Problem) and problem.where.isprintable()


def test_from_file(tmp_path: Path, item: Lab) -> None:
    found = admit.from_file(write(tmp_path / "mine.cu", GOOD), item, "you")
    assert found.files[0].name == "kernel.cu" and found.student == "you"


@pytest.mark.parametrize(
    ("name", "content", "words", "remedy"),
    [
        ("none.cu", None, "is not there", "FILE"),
        ("folder/kernel.cu", GOOD, "is a folder, not a kernel", "folder/kernel.cu"),
        ("mine.zip", "PK", "is an archive, not a kernel", "unpack it"),
        ("a.out", "\x7fELF\0\0", "is no source file", "FILE"),
    ],
)
def test_what_is_no_kernel_is_called_what_it_is(
    tmp_path: Path, item: Lab, name: str, content: str | None, words: str, remedy: str
) -> None:
    if content is not None:
        write(tmp_path / name, content)
    with pytest.raises(UsageError, match=words) as caught:
        admit.from_file(tmp_path / name.partition("/")[0], item, "you")
    assert remedy in caught.value.remedy and f"check {LAB}" in caught.value.remedy


def test_a_file_of_another_kind_of_lab(tmp_path: Path, item: Lab) -> None:
    file = write(tmp_path / "answers.toml", "[answers]\n")
    with pytest.raises(UsageError, match=r"is no \.cu file like kernel\.cu, which lab") as caught:
        admit.from_file(file, item, "you")
    assert caught.value.remedy.endswith(f"check {file}`")


def test_a_further_file_of_the_lab_is_not_taken_for_its_kernel(tmp_path: Path, item: Lab) -> None:
    several = replace(item, files=("kernel.cu", "streams.cu"))
    with pytest.raises(UsageError, match=r"goes along with kernel\.cu") as caught:
        admit.from_file(write(tmp_path / "streams.cu", GOOD), several, "you")
    assert caught.value.remedy.endswith(f"check {LAB} {tmp_path / 'kernel.cu'}`")


def test_an_error_says_what_was_looked_for(item: Lab) -> None:
    entry = SubmissionEntry("bob", "bob", Path("bob.zip"))
    away = Contents({}, ("left out ../kernel.cu: a path that leads out of the submission",))
    found = admit.nothing_fits(entry, away, [item])
    assert "a path that leads out of the submission" in found.message
    assert f"{LAB}/kernel.cu; kernel.cu alone will do" in found.remedy
    other = admit.nothing_fits(entry, Contents({"main.cu": b"", "b.cu": b""}), [item, item])
    assert (
        "it holds b.cu, main.cu" in other.message and "with one lab named (--lab) kernel.cu" in other.remedy
    )


def test_a_suffix_cannot_be_forged(tmp_path: Path) -> None:
    digest = hashlib.sha256(b"Grace Honest").hexdigest()[:8]
    for name in ("Grace Honest", "Grace-Honest", f"Grace-Honest-{digest}", f"grace-honest-{digest.upper()}"):
        write(tmp_path / name, "")
    found, _ = admit.entries(tmp_path)
    assert len({entry.student.casefold() for entry in found}) == 4


def test_no_student_has_the_name_of_a_folder_of_ours(tmp_path: Path) -> None:
    for name in ("students", "Students.zip"):
        write(tmp_path / name, "k")
    found, _ = admit.entries(tmp_path)
    assert not {entry.student.casefold() for entry in found} & {"students"}
