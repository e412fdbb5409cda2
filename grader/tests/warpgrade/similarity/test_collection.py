"""Which hand-ins of a class are compared."""

from __future__ import annotations

from pathlib import Path

from support.fake_repository import GOOD, write
from warpgrade.grading import batch
from warpgrade.grading.session import Session
from warpgrade.similarity.collection import graded
from warpgrade.similarity.documents import CLASS
from warpgrade.submission import downloads, roster

ROSTER = "student,name,group\nann,Ann,g1\nbob,Bob,g1\ncid,Cid,g2\ndan,Dan,g2\neve,Eve,\nfay,Fay,\n"


def test_what_a_group_hands_in_is_compared_once(tmp_path: Path, session: Session) -> None:
    """Handed in by one member or under the group's name; others with the same text are listed."""
    for name in ("bob", "g2", "eve", "fay"):
        write(tmp_path / "class" / f"{name}.cu", GOOD)
    people = roster.load(write(tmp_path / "roster.csv", ROSTER))
    download = downloads.read(tmp_path / "class", people=people)
    out = tmp_path / "out"
    assert len(batch.grade_class(download, out, session).students) == 6
    found = graded(session.labs[0], out, CLASS, "")
    assert [each.name for each in found] == ["bob", "cid", "eve", "fay"]
