"""Statements of a body and the expressions in them."""

from __future__ import annotations

from support.programs.sample_kernel import KERNEL
from warpgrade.student.locate.reading import source, statements


def read(text: str) -> tuple[source.KernelSource, list[statements.Body]]:
    made = source.read(text)
    return made, list(statements.bodies(made, made.bodies))


def regions(text: str) -> list[str]:
    made, bodies = read(text)
    return [made.between(each.first, each.last) for body in bodies for each in body.regions]


def test_expressions_are_values_conditions_and_statements() -> None:
    found = regions(KERNEL)
    assert "row < m && column < n" in found
    assert "blockIdx.y * TILE + threadIdx.y" in found and "i < TILE" in found and "++i" in found
    assert "sum += values[i]" in found and "sum" in found
    assert not any("[&]" in each or "2 * x" in each for each in found)


def test_what_the_compiler_must_know_is_no_expression() -> None:
    fixed = "constexpr int a = 3; __shared__ float b[4 * 4]; static int c = 5;"
    assert regions(f"void f() {{ {fixed} int d = 7; }}") == ["7"]


def test_a_loop_over_an_array_has_no_parts() -> None:
    assert regions("void f() { for (float& each : values) each = 0; }") == ["each = 0"]


def test_points_are_between_statements() -> None:
    made, (body,) = read("void f() { a(); if (x) { b(); } else c(); d(); }")
    assert [made.word(point) + made.word(point + 1) for point in body.points] == [
        "{a",
        ";if",
        "{b",
        ";}",
        ";d",
        ";}",
    ]


def test_statements_in_loops() -> None:
    source, (body,) = read("void f() { a(); for (;;) while (x) { b(); } do c(); while (y); }")
    assert [source.word(each.first) for each in body.statements] == ["a", "b", "c"]


def test_broken_text_has_an_end() -> None:
    for text in ("void f() { if (", "void f() { if (x) {", "void f() { for (;;", "void f() { else }"):
        read(text + " }")
