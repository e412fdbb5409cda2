"""compute-sanitizer's words as findings: recorded on an H200 (CUDA 13.0) with one faulty kernel each."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgrade.core.paths import here
from warpgrade.records import Finding, SourceFile, Submission
from warpgrade.run import compute_sanitizer as sanitizer
from warpgrade.tables import finding_kinds

TEXT = (Path(__file__).parents[2] / "fixtures" / "recorded" / "compute_sanitizer.txt").read_text(
    encoding="utf-8"
)
SOURCE = SourceFile("bad.cu", "\n".join(f"line {number}" for number in range(1, 40)))
KINDS = finding_kinds.load(here())
FOUND = sanitizer.parse(TEXT, KINDS, Submission("s", "l", "e", (SOURCE,), "h"))


def one(code: str, line: int) -> Finding:
    (found,) = (finding for finding in FOUND if finding.code == code and finding.place.line == line)
    return found


def test_every_fault_is_found_once() -> None:
    assert sorted((finding.code, finding.place.line) for finding in FOUND) == [
        ("WG101", 6), ("WG102", 9), ("WG102", 16), ("WG103", 12), ("WG112", 21), ("WG121", 25), ("WG131", 28)
    ]  # fmt: skip


def test_a_write_out_of_bounds() -> None:
    found = one("WG102", 9)
    assert (found.kernel, found.check, found.times > 1) == ("stray_write", "memory", True)
    assert found.place.thread == (0, 0, 0)
    assert found.place.source == "line 9"
    assert found.memory is not None
    assert (found.memory.space, found.memory.bytes, found.memory.distance) == ("global", 4, 265)
    assert "265 bytes after the nearest allocation (256 bytes)" in found.message


def test_a_race_has_two_sides() -> None:
    found = one("WG112", 21)
    assert found.other is not None
    assert found.other.line == 22
    assert "Write access and Read access" in found.message


def test_a_divergent_barrier_and_an_unwritten_read() -> None:
    assert one("WG131", 28).place.thread == (32, 0, 0)
    assert one("WG121", 25).memory is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "========= ERROR SUMMARY: 0 errors\n",
        "========= Invalid nonsense\n=========\n",
        "a kernel's own words\n",
    ],
)
def test_what_means_nothing_is_passed_over(text: str) -> None:
    assert sanitizer.parse(text, KINDS) == ()


def test_words_that_break_off() -> None:
    cut = TEXT[: TEXT.index("by thread")]
    (found,) = sanitizer.parse(cut, KINDS)
    assert (found.code, found.place.thread) == ("WG101", ())
