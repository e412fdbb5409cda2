"""Journals: what one process appends, another reads once, line by line, whatever breaks off."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgrade.core.errors import GraderError
from warpgrade.core.journal import JournalReader, JournalWriter


def test_each_line_is_read_once_and_only_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    reader = JournalReader(path)
    assert list(reader.rows()) == [], "it is not there yet"
    writer = JournalWriter(path)
    writer.write(begin="a\nb é")
    writer.write(end=1)
    assert list(reader.rows()) == [{"begin": "a\nb é"}, {"end": 1}]
    with path.open("ab") as stream:
        stream.write(b'{"half": ')
    assert list(reader.rows()) == []
    with path.open("ab") as stream:
        stream.write(b"1}\nno json\n[]\n")
    assert list(reader.rows()) == [{"half": 1}]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(GraderError, match="cannot be written"):
        JournalWriter(tmp_path / "gone" / "journal")
