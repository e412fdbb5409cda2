"""One file with many edits, and a file with one."""

from __future__ import annotations

from support.programs.sample_kernel import KERNEL
from warpgrade.student.locate import schemata
from warpgrade.student.locate.edits import candidates
from warpgrade.student.locate.edits.edit import Edit, Form, Kind, Replacement
from warpgrade.student.locate.reading.source import Span

TEXT = "a = b[c];\nd;\n"


def edit(start: int, end: int, text: str, form: Form = Form.EXPRESSION) -> Edit:
    return Edit(Kind.VARIABLE, 1, "", (Replacement(Span(start, end), text, form),))


HEAD = 'extern "C" __constant__ int warpgrade_edit = 0;'


def in_one_line(made: schemata.Schemata) -> str:
    return " ".join(made.text.removeprefix(HEAD).split())


def test_edits_lie_in_one_another() -> None:
    made = schemata.schemata(TEXT, {1: edit(4, 8, "e"), 2: edit(6, 7, "f"), 3: edit(4, 8, "g")})
    inner = "b[( warpgrade_edit == 2 ? (f) : (c))]"
    assert (
        in_one_line(made) == f"a = ( warpgrade_edit == 1 ? (e) : warpgrade_edit == 3 ? (g) : ({inner})); d;"
    )


def test_a_statement_and_one_behind_it() -> None:
    removed, barrier = edit(0, 9, ";", Form.STATEMENT), edit(0, 9, "__syncthreads();", Form.BEHIND)
    statement = "{ if (warpgrade_edit == 1) { ; } else { a = b[c]; } }"
    behind = "if (warpgrade_edit == 2) { __syncthreads(); }"
    assert in_one_line(schemata.schemata(TEXT, {1: removed, 2: barrier})) == f"{statement} {behind} d;"


def test_one_comparison_leads_past_edits_that_are_not_in_force() -> None:
    made = schemata.schemata(TEXT, {2: edit(4, 8, "e"), 3: edit(4, 8, "f"), 4: edit(4, 8, "g")})
    within = "warpgrade_edit >= 2 && warpgrade_edit <= 4"
    chain = "warpgrade_edit == 2 ? (e) : warpgrade_edit == 3 ? (f) : (g)"
    assert in_one_line(made) == f"a = ({within} ? ( {chain}) : (b[c])); d;"
    statements = {5: edit(0, 9, "x;", Form.STATEMENT), 6: edit(0, 9, "y;", Form.STATEMENT)}
    within = "warpgrade_edit >= 5 && warpgrade_edit <= 6"
    chain = "if (warpgrade_edit == 5) { x; } else { y; } } else { a = b[c]; } }"
    assert in_one_line(schemata.schemata(TEXT, statements)) == f"{{if ({within}) {{ {chain} d;"


def test_each_line_knows_its_edits() -> None:
    made = schemata.schemata(TEXT, {1: edit(4, 8, "e"), 2: edit(6, 7, "f")})
    lines = made.text.split("\n")
    assert made.edits_near(lines.index("warpgrade_edit == 2 ? (f) :") + 1) == {2}
    assert made.edits_near(1) == frozenset()


def test_what_overlaps_is_left_out() -> None:
    made = schemata.schemata(TEXT, {1: edit(0, 5, "x"), 2: edit(4, 8, "y")})
    assert "(x)" in made.text and "(y)" not in made.text


def test_one_edit_alone() -> None:
    assert schemata.applied(TEXT, edit(6, 7, "f")) == "a = b[(f)];\nd;\n"
    assert schemata.applied(TEXT, edit(0, 9, "g();", Form.BEHIND)) == "a = b[c]; g();\nd;\n"


def test_no_edit_is_lost_but_those_that_overlap() -> None:
    every = dict(enumerate(candidates.of_file(KERNEL), 1))
    made = schemata.schemata(KERNEL, every)
    found = set().union(*made.edits_at.values())
    assert len(every) > 200 and found == set(every)


def test_an_error_where_an_expression_begins_is_that_of_an_edit_in_it() -> None:
    """nvcc says there that an index is no integer."""
    made = schemata.schemata(TEXT, {1: edit(6, 7, "x"), 2: edit(6, 7, "y")})
    begins = made.text.split("\n").index("a = b[(warpgrade_edit >= 1 && warpgrade_edit <= 2 ? (") + 1
    assert made.edits_near(begins) == {1, 2}
    assert made.edits_near(len(made.text.split("\n"))) != frozenset()
