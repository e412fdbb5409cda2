"""A doctest program as pytest tests: the program runs once, each of its test cases is one test."""

from __future__ import annotations

import functools
import os
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
SUPPRESSIONS = ROOT / "grader/tests/emulator/thread-sanitizer.supp"
ENVIRONMENT = os.environ | {
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": f"suppressions={SUPPRESSIONS}",
}
MISSING = "(is the program built? make test-programs)"


@dataclass(frozen=True)
class Case:
    """One test case of a program. Two cases may have the same name, and two files the same name in two rooms.

    `program`: a path below the checkout, and doctest's options behind it, which may select test cases.
    """

    program: str
    file: Path
    line: int
    name: str


def _started(program: str, *options: str) -> tuple[int, str, str]:
    """Status, standard output and errors. The program finds its files by itself, from any folder."""
    path, *own = program.split()
    ran = subprocess.run(
        [ROOT / path, "--reporters=xml", *own, *options],
        cwd=tempfile.gettempdir(), env=ENVIRONMENT, capture_output=True, text=True, errors="replace",
        timeout=900,
    )  # fmt: skip
    return ran.returncode, ran.stdout, ran.stderr


def _case(program: str, element: ElementTree.Element) -> Case:
    file, line = Path(element.get("filename", "")), int(element.get("line", "0"))
    return Case(program, file, line, element.get("name", "").strip())


def cases(*programs: str) -> pytest.MarkDecorator:
    """Parametrizes a test by all test cases of these programs. A missing program is one case, which fails."""
    found = []
    for program in programs:
        try:
            listed = ElementTree.fromstring(_started(program, "--list-test-cases")[1])
            found += [_case(program, element) for element in listed.iter("TestCase")]
        except (OSError, ElementTree.ParseError):
            found.append(Case(program, Path(), 0, MISSING))
    return pytest.mark.parametrize(
        "case", found, ids=[f"{case.program.split()[0]}: {case.file.stem}: {case.name}" for case in found]
    )


@functools.cache
def _results(program: str) -> tuple[dict[Case, str], str]:
    """The failures of each case that ended ("" if it passed), and how the program ended."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.xml"
        status, _, errors = _started(program, f"--out={out}")
        results: dict[Case, str] = {}
        try:
            for _, element in ElementTree.iterparse(out):
                if element.tag == "TestCase":
                    results[_case(program, element)] = _failures(element)
        except ElementTree.ParseError:
            pass  # the program died: the cases so far are there
    return results, f"{program} ended with status {status}:\n{errors[-6000:]}"


def _failures(element: ElementTree.Element) -> str:
    total = element.find("OverallResultsAsserts")
    if total is not None and total.get("test_case_success") == "true":
        return ""
    wrong = [part for tag in ("Expression", "Exception", "Message") for part in element.iter(tag)]
    return "\n".join(" ".join("".join(part.itertext()).split()) + _place(part) for part in wrong) or "failed"


def _place(part: ElementTree.Element) -> str:
    return f"  ({part.get('filename')}:{part.get('line')})" if part.get("filename") else ""


def check(case: Case) -> None:
    """Fails with the failed assertions of the case, or if the program ended before it: see check_status."""
    assert case.name != MISSING, f"{case.program} {MISSING}"
    results, ended = _results(case.program)
    if case not in results:
        pytest.fail(f"{case.program} ended before this case", pytrace=False)
    if results[case]:
        pytest.fail(f"{results[case]}\n{ended}", pytrace=False)


def check_status(program: str) -> None:
    """Fails where the program as a whole failed, for instance by a sanitizer's report."""
    results, ended = _results(program)
    if not results or not ended.startswith(f"{program} ended with status 0:"):
        pytest.fail(ended, pytrace=False)
