"""Shared by the tests of grading: a term of three labs."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.term_folder import TermFolder
from warpgrade.grading.session import Session


@pytest.fixture
def term_folder(tmp_path: Path, session: Session) -> TermFolder:
    made = TermFolder(tmp_path, session)
    made.hand_in("week1", "ann", "2026-10-01-10-00-00")
    made.hand_in("week1", "bob", "2026-10-03-10-00-00", "second: wrong")  # two days late
    made.hand_in("week1", "cid", "2026-10-01-10-00-00", "SYNTAX")
    made.hand_in("week2", "ann", "2026-10-08-10-00-00", "third: race")
    made.hand_in("week2", "bob", "2026-10-10-11-00-00")  # two more: one free day is left
    made.hand_in("week3", "ann", "2026-10-15-10-00-00")
    made.hand_in("week3", "dan", "2026-10-15-10-00-00")
    return made
