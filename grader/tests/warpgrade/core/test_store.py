"""Saved stages are whole or not there, and stale ones are not taken."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from warpgrade.core import store
from warpgrade.core.errors import GraderError, UsageError
from warpgrade.records import Part


def test_round_trip_and_stale_keys(tmp_path: Path) -> None:
    part = Part("case", "a", 1.0, 2.0)
    store.save(tmp_path / "deep" / "er", "score", "key", part)
    assert store.load(tmp_path / "deep" / "er", "score", "key", Part) == part
    assert store.load(tmp_path / "deep" / "er", "score", None, Part) == part
    assert store.load(tmp_path / "deep" / "er", "score", "other", Part) is None
    assert store.load(tmp_path, "score", "key", Part) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"key": "key"}',
        '{"key": "key", "record": {"kind": 3}}',
        pytest.param("[" * 100_000, id="nested"),
    ],
)
def test_a_damaged_file_is_made_again(tmp_path: Path, text: str) -> None:
    (tmp_path / "score.json").write_text(text)
    assert store.load(tmp_path, "score", "key", Part) is None


def test_what_several_need_at_once_is_made_by_one(tmp_path: Path) -> None:
    made: list[int] = []

    def make() -> Part:
        made.append(1)
        time.sleep(0.05)  # the others ask meanwhile
        return Part("case", "a", 1.0, 2.0)

    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(store.kept, tmp_path / "deep", "score", "key", Part, make) for _ in range(8)]
    assert {each.result() for each in asked} == {make()} and len(made) == 2


def test_a_maker_that_fails_lets_the_next_one_try(tmp_path: Path) -> None:
    def fail() -> Part:
        raise UsageError("no")

    with pytest.raises(UsageError):
        store.kept(tmp_path, "score", "key", Part, fail)
    part = Part("case", "a", 1.0, 2.0)
    assert store.kept(tmp_path, "score", "key", Part, lambda: part) == part


def test_nobody_waits_where_no_lock_can_be_taken(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with store.one_maker(tmp_path / "file" / "below" / "it"):
        pass


def test_nothing_is_left_beside_it(tmp_path: Path) -> None:
    store.write_text(tmp_path / "a.txt", "x")
    store.write_text(tmp_path / "a.txt", "y")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "y"


def test_threads_that_write_the_same_file_do_not_meet(tmp_path: Path) -> None:
    def write(number: int) -> None:
        store.write_text(tmp_path / "same", f"{number} " * 1000)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(200)))
    assert len(set((tmp_path / "same").read_text().split())) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["same"]


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(GraderError, match="cannot be written"):
        store.write_text(tmp_path / "file" / "a.txt", "x")
    if Path("/dev/full").exists():
        (tmp_path / f".b.txt.{os.getpid()}").symlink_to("/dev/full")
        with pytest.raises(GraderError, match="No space left"):
            store.write_text(tmp_path / "b.txt", "x")
        assert not (tmp_path / "b.txt").exists()


def test_bytes_are_written_as_text_is(tmp_path: Path) -> None:
    store.write_bytes(tmp_path / "new" / "a.zip", b"\xff\0")
    assert (tmp_path / "new" / "a.zip").read_bytes() == b"\xff\0"
    with pytest.raises(GraderError, match="cannot be written"):
        store.write_bytes(tmp_path / "new" / "a.zip" / "b.zip", b"")
    with pytest.raises(GraderError, match="cannot be written") as caught:
        store.write_bytes(tmp_path / "new", b"")
    assert caught.value.file == tmp_path / "new" and caught.value.remedy.startswith("remove that folder")


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    store.write_text(pipe, "sent")
    assert os.read(reader, 10) == b"sent" and pipe.is_fifo()
    os.close(reader)


def test_a_second_grader_is_kept_out(tmp_path: Path) -> None:
    def enter() -> None:
        with store.claimed(tmp_path):
            pass

    with store.claimed(tmp_path):
        with pytest.raises(UsageError) as caught:
            enter()
        assert f"process {os.getpid()}" in str(caught.value)
    enter()


def test_a_program_is_never_without_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "program"
    store.write_bytes(file, b"code", 0o755)
    assert file.stat().st_mode & 0o777 == 0o755
    file.chmod(0o644)
    store.write_bytes(file, b"code", 0o755)
    assert file.stat().st_mode & 0o777 == 0o755


def test_a_folder_is_published_whole(tmp_path: Path) -> None:
    (tmp_path / "made" / "inner").mkdir(parents=True)
    (tmp_path / "made" / "inner" / "file").write_text("text")
    store.publish(tmp_path / "made", tmp_path / "there")
    assert (tmp_path / "there" / "inner" / "file").read_text() == "text"
    (tmp_path / "made").mkdir()
    with pytest.raises(OSError):
        store.publish(tmp_path / "made", tmp_path / "there")
