"""Variables, their kinds and where they can be used."""

from __future__ import annotations

import pytest

from support.programs.sample_kernel import KERNEL
from warpgrade.student.locate.reading import names, source


def kinds(text: str) -> dict[str, str]:
    return {each.name: each.kind for each in names.variables(source.read(text))}


def test_kinds_of_variables() -> None:
    found = kinds(KERNEL)
    assert found["WIDTH"] == found["TILE"] == found["row"] == found["column"] == found["m"] == "integer"
    assert found["A"] == found["values"] == "const floating*" and found["C"] == "floating*"
    assert found["As"] == found["Bs"] == "floating[][]"
    assert found["sum"] == "floating"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("unsigned long long x = 0;", "integer"),
        ("float4 x;", "float4"),
        ("const double *x, y;", "const floating*"),
        ("half x[2] = {a, b};", "half[]"),
    ],
)
def test_a_declaration(text: str, kind: str) -> None:
    assert kinds(text)["x"] == kind


def test_functions_and_casts_declare_nothing() -> None:
    assert kinds("void f(); int g(int a) { return (int)b + static_cast<float>(c); }") == {"a": "integer"}


def test_a_variable_can_be_used_behind_its_value_to_the_end_of_its_block() -> None:
    read = source.read("void f(int a) { int b = c; for (int i = 0; i < a; ++i) { d(); } { int e; } }")
    usable = {each.name: [read.word(each.at), read.word(each.end)] for each in names.variables(read)}
    assert usable == {"a": [")", "}"], "b": [";", "}"], "i": [";", "}"], "e": [";", "}"]}
    ends = {each.name: each.end for each in names.variables(read)}
    assert ends["i"] < ends["b"] <= ends["a"] and ends["e"] < ends["b"]


def test_parameters_are_known_as_such() -> None:
    found = {each.name: each.is_parameter for each in names.variables(source.read(KERNEL))}
    assert (
        found["m"]
        and found["n"]
        and found["count"]
        and not found["row"]
        and not found["TILE"]
        and not found["i"]
    )


def test_a_number_of_a_template_is_not_known_to_other_functions() -> None:
    found = kinds("template <int ROWS, int COLUMNS> void f() {} constexpr int WIDTH = 3, HEIGHT = 4;")
    assert found == {"WIDTH": "integer", "HEIGHT": "integer"}
