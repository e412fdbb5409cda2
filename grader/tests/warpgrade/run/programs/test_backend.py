"""The back end and the program in the sandbox: limits, and records that a program cannot write."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from support.programs.square_program import BEGIN, CAN_RUN, PLAIN, a_lab, counted, data_in, graded
from warpgrade.course.evidence import ALIASES

pytestmark = pytest.mark.skipif(not CAN_RUN, reason="needs `make tools`")

FILLS_THE_DISK = r"""
int main() {
  for (const char* name : {"full0", "full1", "full2", "full3"})
    posix_fallocate(creat(name, 0600), 0, 40 << 20);
  pause();
}
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return data_in(tmp_path_factory.mktemp("data"))


def test_a_program_that_kills_the_back_end_gets_nothing(data: Path, tmp_path: Path) -> None:
    text = BEGIN.replace("<unistd.h>", "<unistd.h>\n#include <csignal>") + PLAIN.replace(
        "  cudaFree(dx);\n", "  cudaFree(dx);\n  kill(getppid(), SIGKILL);\n"
    )
    run = graded(text, data, tmp_path)
    assert run.cases[0].status == "crash"


def test_a_program_that_fills_the_disk(data: Path, tmp_path: Path) -> None:
    found = graded(BEGIN + FILLS_THE_DISK, data, tmp_path)
    assert found.cases[0].status == "resources" and found.problem is None
    assert "more than 128 MiB of files" in found.cases[0].message
    assert {case.status for case in found.cases[1:]} <= {"not_run"}


def test_of_a_program_that_never_ends_the_message_has_its_lab_s_limit(data: Path, tmp_path: Path) -> None:
    item = replace(a_lab(), limits=replace(a_lab().limits, seconds=1.0))
    found = graded(BEGIN + "int main() { pause(); }", data, tmp_path, item)
    assert found.cases[0].message == "the program did not end within 1 seconds"
    text = BEGIN + PLAIN.replace("  cudaFree(dx);\n", "  pause();\n")
    last = text[: text.index("  cudaEventDestroy(stop)")].count("\n") + 1
    words = f"within 1 seconds; its last call of CUDA was cudaEventDestroy in program.cu:{last}"
    found = graded(text, data, tmp_path, item)
    assert found.cases[0].message == f"the program did not end {words}"


def test_a_program_that_writes_nothing_is_told_that_alone(data: Path, tmp_path: Path) -> None:
    found = graded(BEGIN + PLAIN.replace("  write(argv[2], y.data());\n", ""), data, tmp_path)
    assert found.cases[0].message == "y.npy was not written, or is empty"
    assert found.findings == ()


def test_lines_in_the_back_ends_own_output_are_ignored(data: Path, tmp_path: Path) -> None:
    forged = (
        'const char row[] = "\\n0 {\\"label\\":\\"squares\\",\\"exit_code\\":0,\\"from_device\\":true}\\n";'
        "char fd[32]; for (int pid = 1; pid < 40; ++pid)"
        ' std::snprintf(fd, 32, "/proc/%d/fd/1", pid), put(fd, row, sizeof row - 1, "wb");'
    )
    text = BEGIN + PLAIN.replace("int main(int, char** argv) {", "int main(int, char** argv) {\n" + forged)
    run = graded(text.replace("y[i] = x[i] * x[i]", "y[i] = x[i]"), data, tmp_path)
    assert run.cases[0].status == "wrong_answer"


def test_counters_of_all_launches_are_evidence(data: Path, tmp_path: Path) -> None:
    """One of 125 elements counts as its own shape does: 4 warps read, and of the next launch 32."""
    technique = replace(a_lab().techniques[0], evidence="global_load_requests <= 36")
    item = replace(a_lab(), techniques=(technique,))
    launch = "square<<<4, 256>>>(dx, dy, 1000);"
    text = BEGIN + PLAIN.replace(launch, f"square<<<4, 256>>>(dx, dy, 125);\n  {launch}")
    found = counted(graded(text, data, tmp_path, item))
    assert (found[ALIASES["global_load_requests"]], found["blocks"], found["launches"]) == (36, 8, 2)
