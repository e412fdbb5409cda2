"""The reference timings of this GPU, as `warpgrade calibrate` writes them."""

from __future__ import annotations

import shutil

from .frame import ROOT, Session


def timings(session: Session) -> None:
    session.tell(session.warpgrade("calibrate", "--sandbox", session.walls).rstrip())
    for file in ROOT.glob("datasets/reference-timings/*.json"):
        shutil.copyfile(file, session.out / file.name)
