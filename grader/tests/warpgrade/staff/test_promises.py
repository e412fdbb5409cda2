"""Which promises of a lab are broken, with fake tools: a kernel "does" what its comments say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from support.fake_repository import GOOD, LAB, write
from warpgrade.core.errors import InstructorError
from warpgrade.grading import pipeline
from warpgrade.grading.faults import FaultKey, PreparedFault
from warpgrade.grading.session import Session
from warpgrade.records import FaultyKernel, Part, Result
from warpgrade.staff import promises

ROW = """
[[mutant]]
name = "{name}"
reason = "A reason."
find = "int n) {{}}"
replace = "int n) {{}} {does}"
{promise}
"""


def broken(session: Session, *rows: tuple[str, str, str]) -> list[promises.BrokenPromise]:
    """The broken promises of a lab with these mutants: name, what it does, what its row says."""
    text = "".join(
        ROW.format(name=name, does=f"\\n// {does}", promise=promise) for name, does, promise in rows
    )
    write(session.repository.solution(LAB) / "mutants.toml", text.lstrip())
    write(
        session.repository.labs / LAB / "kernel.cu",
        f"// first: wrong\n// second: wrong\n// third: wrong\n{GOOD}",
    )
    return list(promises.broken(session.prepared_labs[0], session))


def test_a_lab_that_keeps_its_promises(session: Session) -> None:
    kept = (
        ("wrong", "first: wrong", 'verdict = "WRONG_ANSWER"\ncase = "first"'),
        ("races", "second: race", 'verdict = "RACE"\ncase = "second"'),
        ("loads", "first: loads", 'technique = "reuse"'),
    )
    assert broken(session, *kept) == []


def test_a_mutant_that_does_not_do_what_its_row_says_is_named_with_its_line(session: Session) -> None:
    rows = (
        ("right", "nothing", 'verdict = "RACE"\ncase = "first"'),
        ("other-verdict", "first: wrong", 'verdict = "RACE"\ncase = "first"'),
        ("keeps", "nothing", 'technique = "reuse"'),
        ("fails-too", "first: wrong", 'technique = "reuse"'),
    )
    found = broken(session, *rows)
    assert [(each.file, each.line) for each in found] == [
        (f"solutions/{LAB}/mutants.toml", line) for line in (2, 10, 18, 25)
    ]
    assert [each.message.partition("' ")[2] for each in found] == [
        "gets PASS in first, not RACE",
        "gets WRONG_ANSWER in first, not RACE",
        "keeps 10 points for reuse",
        "is to lose a technique's points only, and fails first",
    ]


def test_a_skeleton_that_passes_a_case(session: Session) -> None:
    promised = (("wrong", "first: wrong", 'verdict = "WRONG_ANSWER"\ncase = "first"'),)
    assert broken(session, *promised) == []
    write(session.repository.labs / LAB / "kernel.cu", f"// first: wrong\n// third: wrong\n{GOOD}")
    (found,) = promises.broken(session.prepared_labs[0], session)
    assert found.file == f"labs/{LAB}/kernel.cu"
    assert "earns 30 points, not 10: second 20 of 20" in found.message
    assert f"check {LAB} labs/{LAB}/kernel.cu" in found.remedy


def test_a_solution_that_does_not_earn_everything(session: Session) -> None:
    write(session.repository.solution(LAB) / "kernel.cu", f"// third: race\n{GOOD}")
    assert any(
        "the solution earns" in each.message and "third 0 of 20" in each.message
        for each in broken(session, ("wrong", "first: wrong", 'verdict = "WRONG_ANSWER"\ncase = "first"'))
    )


def test_a_fault_that_the_solution_names_wrongly_is_told_with_its_lines(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared = session.prepared_labs[0]
    fault = FaultyKernel("end", "kernel.cu", prepared.lab.kernel, "fault.toml", ("first",), 10, 0)
    named = PreparedFault(fault, prepared.lab, prepared.data, "", FaultKey((21, 23), "memory"))
    graded = pipeline.grade_one

    def wrongly(*arguments: object) -> Result:
        result = graded(*arguments)  # type: ignore[arg-type]
        assert result.score
        part = Part("fault", "end-named", 0, 10, "")
        total = (result.score.total or 0) - 10
        return replace(result, score=replace(result.score, parts=(*result.score.parts, part), total=total))

    monkeypatch.setattr(pipeline, "grade_one", wrongly)
    found = promises.broken(replace(prepared, faults=(named,)), session)
    assert "in fault.toml, name end by memory, and line 21 or 23 of kernel.cu" in found[0].remedy


def test_a_text_that_does_not_occur_stops(session: Session) -> None:
    write(
        session.repository.solution(LAB) / "mutants.toml",
        '[[mutant]]\nname = "a"\nreason = "b"\nfind = "nowhere"\nreplace = ""\ntechnique = "reuse"\n',
    )
    with pytest.raises(InstructorError, match="occurs 0 times"):
        promises.broken(session.prepared_labs[0], session)


@pytest.mark.parametrize("promise", ['technique = "reused"', 'verdict = "RACE"\ncase = "fourth"'])
def test_a_mutant_of_a_technique_or_case_that_the_lab_lacks_stops_with_its_line(
    session: Session, promise: str
) -> None:
    with pytest.raises(InstructorError, match=r"mutants\.toml:2: .* which lab\.toml does not have"):
        broken(session, ("unknown", "first: wrong", promise))
