"""Lines of the solutions that no student's file may hold."""

from __future__ import annotations

import functools
import html
import re
from pathlib import Path

from warpgrade.solution import markers, skeletons

ROOT = Path(__file__).resolve().parents[4]
TRIVIAL = 20  # letters; shorter lines such as `__syncthreads();` any text about CUDA holds


def plain(page: str) -> str:
    """What a reader sees, in one line and without any space."""
    return "".join(html.unescape(re.sub(r"<[^>]+>", "", page)).split())


def squeeze(line: str) -> str:
    return "".join(line.split("//")[0].split())


@functools.cache
def secrets() -> dict[str, str]:
    """Solution lines by their squeezed form, without those that some skeleton shows anyway."""
    given = {squeeze(line) for item in skeletons.all_of(ROOT) for line in item.text.splitlines()}
    found = {}
    for source in (ROOT / "solutions").glob("*/*.cu"):
        for line in markers.solution_lines(source.read_text(), source.name):
            if len(squeeze(line)) > TRIVIAL and squeeze(line) not in given:
                found[squeeze(line)] = line
    return found
