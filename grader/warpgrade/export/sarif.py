"""A check as SARIF 2.1.0, the format in which editors and code hosts read findings.

OASIS, Static Analysis Results Interchange Format Version 2.1.0. Holds only what a student may see. The same
check gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from .. import VERSION
from ..core import formatting
from ..core.paths import Repository
from ..core.toml import line_of
from ..feedback.disclosure import shown_cases, shown_findings
from ..records import Finding, Lab, LabKind, Place, Result, SourceFile, Verdict, Wrong
from ..tables import finding_kinds

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "ROOT"  # the base of relative addresses: the checkout, which an editor has open
_LEVELS = ("error", "warning", "note")
_COMPILER, _WRONG = "compiler", "wrong-answer"
_OWN_RULES = {
    _COMPILER: "what the compiler says about the kernel's file",
    _WRONG: "the kernel computes an element wrong",
}


@dataclass(frozen=True)
class _Sources:
    """Where the files of a submission lie. `first`: the path that stands for the lab's first file."""

    repository: Repository
    lab: Lab
    first: Path

    def location(self, file: str, line: int, column: int = 0) -> dict[str, Any]:
        """A physical location; without a region where the line is not known (section 3.30)."""
        found: dict[str, Any] = {"artifactLocation": self._artifact(formatting.base_name(file))}
        if line:
            found["region"] = {"startLine": line} | ({"startColumn": column} if column else {})
        return {"physicalLocation": found}

    def _artifact(self, name: str) -> dict[str, str]:
        path, root = self._path(name), self.repository.root.resolve()
        if path.is_relative_to(root):
            return {"uri": quote(path.relative_to(root).as_posix()), "uriBaseId": _ROOT}
        return {"uri": path.as_uri()}

    def _path(self, name: str) -> Path:
        common = self.repository.common / name
        if name in ("", self.lab.files[0]):
            path = self.first
        elif name not in self.lab.files and common.is_file():
            path = common
        else:
            path = self.first.parent / name
        return path.resolve()


def data(repository: Repository, lab: Lab, result: Result, path: Path) -> dict[str, Any]:
    """The check's findings, wrong answers and compiler messages. `path`: the file that was checked."""
    sources = _Sources(repository, lab, path)
    found = [*_compiler(sources, result), *_findings(sources, result), *_wrong(sources, result)]
    run = {
        "tool": {"driver": {"name": "Warpgrade", "version": VERSION, "rules": _rules(repository, found)}},
        "originalUriBaseIds": {_ROOT: {"uri": repository.root.resolve().as_uri() + "/"}},
        "columnKind": "utf16CodeUnits",
        "invocations": [_invocation(result)],
        "results": found,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def lines(log: Mapping[str, Any]) -> Iterator[str]:
    """One line for each place, as compilers print it: "kernel.cu:12:5: error: … [WG112]".

    A related place is a note. Absolute where the file lies outside of the repository.
    """
    for row in log["runs"][0]["results"]:
        yield _line(row["locations"][0], row["level"], f"{row['message']['text']} [{row['ruleId']}]")
        for related in row.get("relatedLocations", ()):
            yield _line(related, "note", f"{related['message']['text']} [{row['ruleId']}]")


def _line(location: Mapping[str, Any], level: str, words: str) -> str:
    place = location["physicalLocation"]
    address, region = place["artifactLocation"], place.get("region", {"startLine": 1})
    path = unquote(address["uri"].removeprefix("file://"))
    column = region.get("startColumn", 1)
    return f"{path}:{region['startLine']}:{column}: {level}: {' '.join(words.split())}"


def _invocation(result: Result) -> dict[str, Any]:
    """Whether the grader itself worked (section 3.20): `false` is no statement about the kernel."""
    worked = result.status != "withheld"
    row: dict[str, Any] = {"executionSuccessful": worked}
    if result.problem and not worked:
        notice = {"level": "error", "message": {"text": result.problem.message}}
        row["toolExecutionNotifications"] = [notice]
    return row


# --- results -----------------------------------------------------------------------------------


def _compiler(sources: _Sources, result: Result) -> Iterator[dict[str, Any]]:
    for message in result.build.diagnostics if result.build else ():
        place = sources.location(message.file, message.line or 0)
        yield _result(_COMPILER, message.severity, message.text, place)


def _findings(sources: _Sources, result: Result) -> Iterator[dict[str, Any]]:
    """One result for each finding and pair of places, however many cases show it."""
    first: dict[tuple[Any, ...], Finding] = {}
    for finding in shown_findings(sources.lab, result):
        first.setdefault((finding.code or finding.kind, _key(finding.place), _key(finding.other)), finding)
    for finding in first.values():
        words = " ".join(filter(None, (_sentence(finding.message), finding.help)))
        place = sources.location(finding.place.file, finding.place.line, finding.place.column)
        row = _result(finding.code or finding.kind, finding.severity, words, place)
        related = list(_related(sources, finding))
        yield row | ({"relatedLocations": related} if related else {})


def _key(place: Place | None) -> tuple[str, int, int] | None:
    return (formatting.base_name(place.file), place.line, place.column) if place else None


def _related(sources: _Sources, finding: Finding) -> Iterator[dict[str, Any]]:
    """Both sides of a race, each with its threads, and where each warp of a deadlock stands."""
    sides = [finding.place, finding.other] if finding.other else []
    rows = [(side.file, side.line, side.column, _side(side)) for side in sides if side]
    rows += [(each.file, each.line, 0, f"warp {each.warp} {each.state}") for each in finding.standing]
    known = [row for row in rows if row[1]]
    for number, (file, line, column, words) in enumerate(known, 1):
        yield {"id": number, **sources.location(file, line, column), "message": {"text": words}}


def _side(place: Place) -> str:
    access = place.access or "access"
    return f"{access} by {formatting.thread_of_block(place.thread, place.block)}" if place.thread else access


def _wrong(sources: _Sources, result: Result) -> Iterator[dict[str, Any]]:
    """Wrong answers, at the line of the kernel that computes the array, or of the answer to a question."""
    seen: set[str] = set()
    for case in shown_cases(sources.lab, result):
        if case.verdict is Verdict.WRONG_ANSWER and case.sentence and case.sentence not in seen:
            seen.add(case.sentence)
            wrong = case.run.wrong if case.run else None
            asked = sources.lab.kind is LabKind.ANSWERS
            at = _answer_place(result, case.name) if asked else _kernel_place(sources.lab, result, wrong)
            place = sources.location(*at)
            yield _result(_WRONG, "error", f"{case.name}: {_sentence(case.sentence)}", place)


def _answer_place(result: Result, question: str) -> tuple[str, int]:
    """File and line of the answer to a question."""
    file = result.submission.files[0] if result.submission else SourceFile("", "")
    return file.name, line_of(file.text, ("answers", question)) or 1


def _kernel_place(lab: Lab, result: Result, wrong: Wrong | None) -> tuple[str, int]:
    """File and line where the kernel's definition begins; else the first line of the first file."""
    names = [wrong.kernel] if wrong and wrong.kernel else lab.kernels[:1]
    for name in names:
        for file in result.submission.files if result.submission else ():
            before, found, _ = _split(file.text, name)
            if found:
                return file.name, before.count("\n") + 1
    return lab.files[0], 1


def _split(source: str, kernel: str) -> tuple[str, str, str]:
    """The source before, at and after the kernel's name in its definition."""
    for match in re.finditer(rf"\b{re.escape(kernel)}\s*\(", source):
        if "__global__" in source[max(0, match.start() - 200) : match.start()]:
            return source[: match.start()], match[0], source[match.end() :]
    return source, "", ""


def _result(rule: str, level: str, words: str, place: Mapping[str, Any]) -> dict[str, Any]:
    known = level if level in _LEVELS else "none"
    return {"ruleId": rule, "level": known, "message": {"text": words}, "locations": [dict(place)]}


def _sentence(words: str) -> str:
    """The text with a capital letter, unless it begins with a name of the program: `sums[0] should be 1`."""
    if words.partition(" ")[0].isalpha():
        words = words[:1].upper() + words[1:]
    return words if words.endswith((".", "!", "?")) else f"{words}."


# --- rules -------------------------------------------------------------------------------------


def _rules(repository: Repository, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A rule for each kind of result that occurs, by its identifier."""
    kinds = {kind.code: kind for kind in finding_kinds.load(repository)}
    rules = []
    for name in sorted({row["ruleId"] for row in found}):
        kind = kinds.get(name)
        short = kind.words if kind else _OWN_RULES.get(name, name)
        rule: dict[str, Any] = {"id": name, "shortDescription": {"text": short}}
        if kind:
            rule |= {"name": kind.name, "help": {"text": kind.help}}
            rule["defaultConfiguration"] = {"level": kind.severity}
        rules.append(rule)
    return rules
