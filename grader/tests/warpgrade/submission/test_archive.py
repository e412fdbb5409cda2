"""Archives and folders are read without following, unpacking or trusting anything."""

from __future__ import annotations

import gzip
import io
import json
import os
import struct
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from support.fake_repository import write
from warpgrade.core.errors import GraderError, SubmissionError
from warpgrade.sandbox import process
from warpgrade.submission import archive, archive_worker
from warpgrade.submission.members import Caps, of_archive

SANDBOX = "none" if process.why_unavailable("bwrap") else "bwrap"
CAPS = Caps()


def read(path: Path, caps: Caps = CAPS) -> archive.Contents:
    return archive.read(path, SANDBOX, caps)


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in members.items():
            target.writestr(name, content)
    return path


def tarred(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as target:
        for info, content in members:
            info.size = len(content)
            target.addfile(info, io.BytesIO(content))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def test_folder(tmp_path: Path) -> None:
    write(tmp_path / "alice" / "02-tiled" / "kernel.cu", "k")
    write(tmp_path / "alice" / "notes.txt", "n")
    write(tmp_path / "alice" / ".git" / "old.cu", "o")
    assert read(tmp_path / "alice").files == {"02-tiled/kernel.cu": b"k"}


def test_zip_and_tar_hold_the_same(tmp_path: Path) -> None:
    one = zipped(tmp_path / "a.zip", {"02-tiled/kernel.cu": b"k", "__MACOSX/02-tiled/._kernel.cu": b"x"})
    other = tarred(tmp_path / "a.tar.gz", (member("./02-tiled/kernel.cu"), b"k"))
    assert read(one).files == read(other).files == {"02-tiled/kernel.cu": b"k"}


def test_single_file(tmp_path: Path) -> None:
    assert read(write(tmp_path / "alice.cu", "k")).files == {"alice.cu": b"k"}


@pytest.mark.parametrize(
    "name", ["../kernel.cu", "/etc/kernel.cu", "a/../../kernel.cu", "C:/kernel.cu", "..\\kernel.cu"]
)
def test_paths_that_lead_out_are_left_out(tmp_path: Path, name: str) -> None:
    contents = read(zipped(tmp_path / "a.zip", {name: b"evil", "02-tiled/kernel.cu": b"k"}))
    assert contents.files == {"02-tiled/kernel.cu": b"k"}
    assert len(contents.notes) == 1 and "left out" in contents.notes[0]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_left_out(tmp_path: Path, kind: bytes) -> None:
    path = tarred(tmp_path / "a.tar.gz", (member("02-tiled/kernel.cu", kind, "/etc/passwd"), b""))
    contents = read(path)
    assert contents.files == {} and "not a regular file" in contents.notes[0]


def test_links_in_zips_and_folders_are_left_out(tmp_path: Path) -> None:
    secret = write(tmp_path / "secret.cu", "secret")
    info = zipfile.ZipInfo("02-tiled/kernel.cu")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as target:
        target.writestr(info, str(secret))
    (tmp_path / "bob").mkdir()
    (tmp_path / "bob" / "kernel.cu").symlink_to(secret)
    (tmp_path / "bob" / "02-tiled").symlink_to(tmp_path)
    assert read(tmp_path / "a.zip").files == {}
    assert read(tmp_path / "bob").files == {}
    (tmp_path / "carol").symlink_to(tmp_path)
    with pytest.raises(SubmissionError, match="neither a folder nor a regular file"):
        read(tmp_path / "carol")


def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    (tmp_path / "dave").mkdir()
    os.mkfifo(tmp_path / "dave" / "kernel.cu")
    os.mkfifo(tmp_path / "eve.cu")
    assert read(tmp_path / "dave").files == {}
    with pytest.raises(SubmissionError):
        read(tmp_path / "eve.cu")


def test_bomb_ends_at_the_cap(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.gz"
    path.write_bytes(gzip.compress(tarfile.TarInfo("big.bin").tobuf() + bytes(8 << 20)))
    info = member("big.bin")
    tarred(path, (info, bytes(8 << 20)))
    with pytest.raises(SubmissionError, match="unpacks to more"):
        read(path, replace(CAPS, unpacked_bytes=1 << 20))


def test_a_large_member_is_left_out(tmp_path: Path) -> None:
    contents = read(zipped(tmp_path / "a.zip", {"kernel.cu": bytes(CAPS.file_bytes + 1)}))
    assert contents.files == {} and "larger than" in contents.notes[0]


def test_too_many_members(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match="more than 10 files"):
        read(zipped(tmp_path / "a.zip", {f"{i}.txt": b"" for i in range(11)}), replace(CAPS, members=10))


def test_of_two_members_with_one_name_the_last_counts(tmp_path: Path) -> None:
    path = tarred(tmp_path / "a.tar.gz", (member("kernel.cu"), b"old"), (member("kernel.cu"), b"new"))
    contents = read(path)
    assert contents.files == {"kernel.cu": b"new"} and "twice" in contents.notes[0]


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz", "a.tar", "a.tar.xz", "a.tgz"])
def test_broken_archives(tmp_path: Path, name: str) -> None:
    with pytest.raises(SubmissionError, match="cannot be read"):
        read(write(tmp_path / name, "this is no archive"))


def test_cut_off_archives(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "a.zip", {"kernel.cu": os.urandom(5000)})
    tar = tarred(tmp_path / "a.tar.gz", (member("kernel.cu"), os.urandom(5000)))
    for path in (whole, tar):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        with pytest.raises(SubmissionError):
            read(path)


def test_other_files_are_no_submission(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match="is no submission"):
        read(write(tmp_path / "roster.csv", "a,b"))


def test_control_characters_do_not_reach_the_notes(tmp_path: Path) -> None:
    contents = read(zipped(tmp_path / "a.zip", {"../\x1b[31mred.cu": b""}))
    assert "\x1b" not in contents.notes[0]


def test_archives_in_archives_and_folders(tmp_path: Path) -> None:
    inner = zipped(tmp_path / "inner.zip", {"kernel.cu": b"k"}).read_bytes()
    middle = zipped(tmp_path / "middle.zip", {"02-tiled.zip": inner, "broken.zip": b"no"}).read_bytes()
    (tmp_path / "alice").mkdir()
    (tmp_path / "alice" / "hw.zip").write_bytes(middle)
    (tmp_path / "alice" / "hw.rar").write_bytes(b"")
    found = read(tmp_path / "alice")
    assert found.files == {"hw/02-tiled/kernel.cu": b"k"}
    assert [note.split(":")[0] for note in found.notes] == ["left out hw.rar", "left out hw/broken.zip"]


def test_too_many_archives_in_archives(tmp_path: Path) -> None:
    content = zipped(tmp_path / "0.zip", {"kernel.cu": b"k"}).read_bytes()
    for level in range(1, CAPS.depth + 2):
        content = zipped(tmp_path / f"{level}.zip", {"a.zip": content}).read_bytes()
    found = read(tmp_path / f"{CAPS.depth + 1}.zip")
    assert not found.files and "archives deep" in found.notes[0]
    assert read(tmp_path / f"{CAPS.depth}.zip").files


def test_the_sum_of_archives_in_an_archive_is_capped(tmp_path: Path) -> None:
    bombs = {f"{number}.zip": b"\0" * 60_000 for number in range(3)}
    with pytest.raises(SubmissionError, match="holds archives of more than"):
        read(zipped(tmp_path / "bomb.zip", bombs), replace(CAPS, archive_bytes=100_000))


def test_parts_of_one_submission(tmp_path: Path) -> None:
    lab = zipped(tmp_path / "x_1.zip", {"kernel.cu": b"k"})
    file = write(tmp_path / "x_2.cu", "f")
    bad = write(tmp_path / "x_3.pdf", "p")
    parts = [("02-tiled.zip", lab), ("kernel.cu", file), ("report.pdf", bad)]
    found = archive.read_parts(parts, SANDBOX)
    assert found.files == {"02-tiled/kernel.cu": b"k", "kernel.cu": b"f"}
    assert found.notes == ("left out report.pdf: is no submission",)
    with pytest.raises(SubmissionError, match="no submission"):
        archive.read_parts(parts[2:], SANDBOX)


def test_unpacking_a_class(tmp_path: Path) -> None:
    names = {"a/kernel.cu": b"k", "../b": b"x", "/c": b"x", "d/" + "n" * 300: b"x"}
    notes = archive.unpack(zipped(tmp_path / "class.zip", names), tmp_path / "out", SANDBOX)
    assert [p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*.cu")] == [
        "a/kernel.cu"
    ]
    assert len(notes) == 3 and not (tmp_path / "b").exists()


def test_a_zip_with_a_huge_list_of_members_is_not_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = zipped(tmp_path / "bomb.zip", {f"{'n' * 400}{number}": b"" for number in range(11_000)})

    def listed(*_: object) -> None:
        raise AssertionError("the list was read")

    monkeypatch.setattr(zipfile, "ZipFile", listed)
    with pytest.raises(SubmissionError, match="holds more than"):
        list(of_archive("bomb.zip", lambda: bomb.open("rb"), CAPS))


@pytest.mark.parametrize("name", ["kernel.cu.txt", "KERNEL.CPP", "lab.ipynb"])
def test_a_source_under_another_name_is_reported(tmp_path: Path, name: str) -> None:
    """It is not read, and the message says why."""
    (tmp_path / name).write_text("k")
    (tmp_path / "README.txt").write_text("k")
    found = read(tmp_path)
    assert found.files == {}
    assert found.notes == (f"left out {name}: a source file's name ends in .cu, .cuh, .h",)


def test_answers_under_another_name_are_noted(tmp_path: Path) -> None:
    (tmp_path / "answers.toml.txt").write_text("[answers]")
    note = "left out answers.toml.txt: a file of answers has a name that ends in .toml"
    assert read(tmp_path).notes == (note,)


@pytest.mark.parametrize("sandbox", ["none", SANDBOX])
def test_a_reader_that_lies_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: str
) -> None:
    """The worker reads hostile bytes: whoever takes it over gains no file outside of the submission."""
    path = zipped(tmp_path / "a.zip", {"kernel.cu": b"k"})
    assert archive.read(path, sandbox).files == {"kernel.cu": b"k"}
    for name, size in (("../up.cu", 1), ("/abs.cu", 1), ("kernel.cu", 1 << 40)):
        answer = json.dumps({"files": [[name, size]], "notes": []}).encode() + b"\nx"

        def lying(command: object, box: process.Box, *_: object, answer: bytes = answer) -> process.Outcome:
            (box.work / "answer").write_bytes(answer)
            return process.Outcome(0, "", "")

        monkeypatch.setattr(process, "run", lying)
        with pytest.raises(GraderError, match="gave no answer"):
            archive.read(path, sandbox)
    monkeypatch.undo()
    assert archive.read(path, sandbox).files == {"kernel.cu": b"k"}


def test_a_link_in_place_of_the_answer_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def linked(command: object, box: process.Box, *_: object) -> process.Outcome:
        (box.work / "answer").symlink_to("/etc/passwd")
        return process.Outcome(0, "", "")

    monkeypatch.setattr(process, "run", linked)
    with pytest.raises(GraderError, match="gave no answer"):
        read(zipped(tmp_path / "a.zip", {"kernel.cu": b"k"}))


@pytest.mark.parametrize(
    ("outcome", "says"),
    [
        (process.Outcome(137, "", "", timed_out=True), "takes too long"),
        (process.Outcome(137, "", "", overfull=True), "needs too much memory"),
        (process.Outcome(137, "", "", spilled=True), "needs too much disk"),
    ],
)
def test_an_archive_that_is_over_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outcome: process.Outcome, says: str
) -> None:
    monkeypatch.setattr(process, "run", lambda *_: outcome)
    with pytest.raises(SubmissionError, match=says):
        read(zipped(tmp_path / "a.zip", {"kernel.cu": b"k"}))


def test_a_path_that_grows_too_long_in_an_archive_in_an_archive(tmp_path: Path) -> None:
    """Once an error of the grader: the worker gave a name that is checked again outside."""
    inner = zipped(tmp_path / "inner.zip", {f"{'d' * 200}/{'e' * 200}/{'f' * 80}.cu": b"long", "a.cu": b"k"})
    outer = zipped(tmp_path / "a.zip", {f"{'g' * 100}.zip": inner.read_bytes()})
    found = read(outer)
    assert list(found.files) == [f"{'g' * 100}/a.cu"] and "not a usable name" in found.notes[0]


def test_whatever_an_archive_makes_a_reader_raise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def raising(*_: object) -> None:
        raise struct.error("unpack requires a buffer of 4 bytes")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(archive_worker, "of_archive", raising)
    request = {
        "what": "collect",
        "name": "a.zip",
        "prefix": "",
        "depth": 0,
        "caps": {},
        "counts": {},
        "files": {},
    }
    archive_worker.REQUEST.write_text(json.dumps(request))
    archive_worker.main()
    assert "unpack requires" in json.loads(archive_worker.ANSWER.read_text())["broken"]
