"""Of a long kernel with a planted bug, the definitions that it changes are shown."""

from __future__ import annotations

from warpgrade.handouts import excerpts

FIRST = "// One thing.\n__device__ int one() {\n  int i = 1;\n\n  return i;\n}"
SECOND = "// Another.\n__device__ int two() { return 2; }"
RIGHT = f'#include "a"\n\n{FIRST}\n\n{SECOND}\n'


def test_a_changed_definition_is_shown_whole() -> None:
    wrong = RIGHT.replace("int i = 1", "int i = 7")
    assert excerpts.changed(wrong, RIGHT) == FIRST.replace("1;", "7;") + "\n"


def test_a_line_that_is_left_out_counts_for_the_next() -> None:
    assert excerpts.changed(RIGHT.replace("  int i = 1;\n", ""), RIGHT).startswith("// One thing.\n")
    both = RIGHT.replace("1;", "7;").replace("return 2", "return 3")
    assert excerpts.changed(both, RIGHT).count("__device__") == 2


def test_a_long_definition_is_cut_around_the_change() -> None:
    body = "".join(f"  a[{number}] = 0;\n" for number in range(200))
    right = f"__global__ void k(int* a) {{\n{body}}}\n"
    shown = excerpts.changed(right.replace("a[100] = 0", "a[100] = 1"), right).splitlines()
    assert shown[:2] == ["__global__ void k(int* a) {", "// …"] and shown[-1] == "// …"
    assert len(shown) == 28 and shown[14] == "  a[100] = 1;"


def test_where_nothing_differs_everything_is_shown() -> None:
    assert excerpts.changed(RIGHT, RIGHT) == RIGHT
