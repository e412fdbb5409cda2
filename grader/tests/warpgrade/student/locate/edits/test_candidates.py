"""The edits that are tried, by what each one changes."""

from __future__ import annotations

import time

import pytest

from warpgrade.student.locate import schemata
from warpgrade.student.locate.edits import candidates
from warpgrade.student.locate.edits.edit import Kind


def results(line: str, kind: Kind, before: str = "") -> set[str]:
    """That line after each edit of the kind, without spaces and round brackets."""
    head = "constexpr int EACH = 4; __global__ void f(float* C, int a, int b, float x, float y) {"
    text = f"{head}\n{before}\n{line}\n}}"
    made = (schemata.applied(text, each) for each in candidates.of_file(text) if each.kind is kind)
    return {_bare(each.split("\n", 2)[2].rpartition("\n")[0]) for each in made}


def _bare(code: str) -> str:
    return code.translate(str.maketrans("", "", " ()"))


@pytest.mark.parametrize(
    ("line", "kind", "wanted"),
    [
        ("C[threadIdx.x] = x;", Kind.COMPONENT, "C[threadIdx.y]=x;"),
        ("C[threadIdx.x] = x;", Kind.COMPONENT, "C[blockIdx.x]=x;"),
        ("C[threadIdx.x + 2 * threadIdx.y] = x;", Kind.COMPONENTS, "C[threadIdx.y+2*threadIdx.x]=x;"),
        ("C[a] = x;", Kind.VARIABLE, "C[b]=x;"),
        ("C[a] = x;", Kind.VARIABLE, "C[a]=y;"),
        ("C[a * 8 + b] = x;", Kind.EXCHANGED, "C[b*8+a]=x;"),
        ("if (a < b) C[a] = x;", Kind.COMPARISON, "if((a)<=(b))C[a]=x;"),
        ("if (a < 1 || b < 1) C[a] = x;", Kind.OPERATOR, "if((a<1)&&(b<1))C[a]=x;"),
        ("C[a / b] = x;", Kind.OPERATOR, "C[(a)%(b)]=x;"),
        ("C[a + 1] = x;", Kind.NUMBER, "C[a+0]=x;"),
        ("C[a + 1] = x;", Kind.DROPPED, "C[(a)]=x;"),
        ("C[a] = x;", Kind.NEIGHBOUR, "C[(a)-1]=x;"),
        ("S[a][b] = x;", Kind.SUBSCRIPTS, "S[b][a]=x;"),
        ("C[a] = x;", Kind.ASSIGNMENT, "C[a]+=x;"),
        ("C[a] += x;", Kind.ATOMIC, "atomicAdd(&(C[a]),x);"),
        ("C[a] = x;", Kind.BARRIER, "C[a]=x;__syncthreads();"),
        ("C[a] = x;", Kind.REMOVED, ";"),
        ("int c = a / 8; C[c] = x;", Kind.NEIGHBOUR, "int c = (a / 8) - 1; C[c] = x;"),
        ("for (;;) { if (a < b) break; }", Kind.JUMP, "for (;;) { if (a < b) continue; }"),
        ("if (a < b) C[a] = x;", Kind.CONDITION, "if(true)C[a]=x;"),
        ("C[a] = x;", Kind.ADDED, "C[a*b]=x;"),
        ("C[blockIdx.x + a] = x;", Kind.ADDED, "C[blockIdx.x * EACH + a] = x;"),
        ("C[blockIdx.x + a] = x;", Kind.ADDED, "C[blockIdx.x * blockDim.x + a] = x;"),
        ("C[threadIdx.x] = x;", Kind.ADDED, "C[threadIdx.y * blockDim.x + threadIdx.x] = x;"),
        ("C[threadIdx.y] = x;", Kind.ADDED, "C[blockIdx.y * blockDim.y + threadIdx.y] = x;"),
    ],
)
def test_an_edit(line: str, kind: Kind, wanted: str) -> None:
    assert _bare(wanted) in results(line, kind, "__shared__ float S[8][8];")


def test_a_condition_more() -> None:
    shared = "__shared__ float S[8]; int i = threadIdx.x, j = threadIdx.y;"
    assert _bare("if ((i < a) && j < b) C[i] = x;") in results("if (i < a) C[i] = x;", Kind.GUARD, shared)
    assert _bare("if (i < a && j < b) C[i * b + j] = x;") in results("C[i * b + j] = x;", Kind.GUARD, shared)
    both = "if (i < a) S[j] = C[i + j];"
    assert _bare("if ((i < a) && i + j < b) S[j] = C[i + j];") in results(both, Kind.GUARD, shared)
    found = results("S[j] = C[i];", Kind.GUARD, shared)
    assert _bare("S[j] = i < a ? (C[i]) : 0;") in found
    assert _bare("if (j < a) S[j] = C[i];") in found
    assert _bare("S[j] = (i < a) && j < b ? C[i] : 0;") in results(
        "S[j] = i < a ? C[i] : 0;", Kind.GUARD, shared
    )


def test_what_cannot_be_is_not_tried() -> None:
    assert not results("a = b;", Kind.VARIABLE) & {"b=b;", "C=b;"}
    assert "C[x%a]=x;" not in results("C[x / a] = x;", Kind.OPERATOR)


def test_a_variable_is_replaced_everywhere_by_those_that_are_known_everywhere() -> None:
    found = results("C[a] = x; for (int i = 0; i < 3; ++i) C[a + 8] = y;", Kind.VARIABLE)
    assert "C[b]=x;forinti=0;i<3;++iC[b+8]=y;" in found
    assert "C[a]=x;forinti=0;i<3;++iC[i+8]=y;" in found
    assert "C[i]=x;forinti=0;i<3;++iC[i+8]=y;" not in found


def test_a_size_is_first_replaced_by_another_size() -> None:
    text = "__global__ void f(float* C, int m, int n) { int i = 3; C[i * n] = 1; }"
    found = [each for each in candidates.of_file(text) if each.kind is Kind.VARIABLE]
    tried = [(each.subject, each.replacements[0].text) for each in found]
    assert tried[0] == ("n", "m") and ("n", "i") in tried[1:]


def test_two_tiles_together() -> None:
    both = results("S[a][b] = x; T[a][b] = y;", Kind.SUBSCRIPTS)
    assert "S[b][a]=x;T[b][a]=y;" in both


def test_where_threads_disturb_one_another_barriers_come_first() -> None:
    text = "__global__ void f(float* C) { C[threadIdx.x] = 1; C[0] += 1; }"
    assert next(candidates.of_file(text, is_race=True)).kind is Kind.BARRIER
    assert next(candidates.of_file(text)).kind is Kind.COMPONENT


@pytest.mark.parametrize(
    "text", ["", "garbage ) } {", "__global__ void f() {", "\0\0", "void f() { a b c; }"]
)
def test_broken_files_raise_nothing(text: str) -> None:
    list(candidates.of_file(text))


def test_a_large_file_takes_no_time_before_its_first_edits() -> None:
    text = "__global__ void f(int a, int b) {\n" + "  a = a + b * a - b;\n" * 2_000 + "}\n"
    begun = time.process_time()
    for _, _each in zip(range(2_000), candidates.of_file(text), strict=False):
        pass
    assert time.process_time() - begun < 20
