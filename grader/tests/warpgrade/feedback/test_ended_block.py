import pytest

from warpgrade.feedback import ended_block
from warpgrade.records import Diagnostic

HEAD = ["__global__ void k(float* C, int n) {", "  for (int i = 0; i < n; ++i) {"]
TAIL = ["  }", "  C[0] = sum[0];", "}"]
UNKNOWN = Diagnostic("error", "unknown", "kernel.cu", 5, TAIL[1], quoted=("sum",))


@pytest.mark.parametrize("line", ["    float sum[8] = {};", "    float* sum = C;", "    const int sum = 0;"])
def test_a_variable_whose_braces_have_ended(line: str) -> None:
    words = ended_block.remedy(UNKNOWN, "\n".join([*HEAD, line, *TAIL]))
    assert words == "It is declared in line 3, inside braces that end before here."


@pytest.mark.parametrize(
    "line", ["    return sum;", "    sum = 0;", "    float total = 0;", "    C[i] = sum;"]
)
def test_a_name_that_is_nowhere_declared(line: str) -> None:
    assert ended_block.remedy(UNKNOWN, "\n".join([*HEAD, line, *TAIL])) == ""


def test_a_variable_of_another_function() -> None:
    text = "\n".join(["void f() {", "  float sum = 0;", "}", "void g() {", "  C = sum;", "}"])
    assert ended_block.remedy(UNKNOWN, text) == ""
