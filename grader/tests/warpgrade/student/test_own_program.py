"""Any program on the emulator, with findings: its output and exit code are its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgrade.core.errors import UsageError
from warpgrade.core.paths import here
from warpgrade.gpu import spec
from warpgrade.student import own_program

PROGRAM = """
#include <cstdio>
__global__ void count(int* bins) {
  __shared__ int seen[8];
  if (threadIdx.x < 7) seen[threadIdx.x] = 1;
  __syncthreads();
  bins[threadIdx.x % 2] += seen[threadIdx.x % 8];
}
int main(int argc, char** argv) {
  int* bins = nullptr;
  cudaMalloc(&bins, 8);
  cudaMemset(bins, 0, 8);
  count<<<1, 64>>>(bins);
  cudaFree(bins);
  std::printf("%d %s\\n", argc, argv[1]);
  return 3;
}
"""


def run(
    tmp_path: Path, text: str, *arguments: str, thorough: bool = False, rules: Path | None = None
) -> own_program.Ran:
    source = tmp_path / "mine.cu"
    source.write_text(text, encoding="utf-8")
    repository = here()
    gpu = spec.load(repository, "h200")
    return own_program.run(repository, source, arguments, gpu, False, thorough, rules)


def on_a_card(tmp_path: Path) -> own_program.Ran:
    source = tmp_path / "mine.cu"
    source.write_text(PROGRAM, encoding="utf-8")
    repository = here()
    return own_program.run(repository, source, ("",), spec.load(repository, "h200"), True)


@pytest.mark.parametrize("lacks", ["driver", "card"])
def test_without_a_card_nothing_runs_as_if_there_were_one(
    lacks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_program.driver, "folder", lambda: None if lacks == "driver" else tmp_path)
    monkeypatch.setattr(own_program.devices, "present", lambda: lacks == "driver")
    with pytest.raises(UsageError, match="no GPU on this machine") as raised:
        on_a_card(tmp_path)
    assert "--gpu" in str(raised.value.remedy)


def test_a_card_is_compiled_for_and_its_program_s_exit_code_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_program.driver, "folder", lambda: tmp_path)
    monkeypatch.setattr(own_program.devices, "present", lambda: True)
    compiled = []

    def compiles(_: object, source: Path, architecture: str, *rest: object) -> tuple[Path, str]:
        compiled.append(architecture)
        return Path("/bin/false"), ""

    monkeypatch.setattr(own_program, "_compiled", compiles)
    ran = on_a_card(tmp_path)
    assert (ran.status, ran.findings, compiled) == (1, (), ["native"])


def test_a_program_s_output_is_its_own_and_its_mistakes_are_found(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    ran = run(tmp_path, PROGRAM, "--loud")
    assert (ran.status, capfd.readouterr().out) == (3, "2 --loud\n")
    assert {finding.cause for finding in ran.findings} == {"unwritten-by-one", "lost-update"}
    assert any(finding.message.endswith("seen[7]") for finding in ran.findings)
    assert {finding.label for finding in ran.findings} == {"launch 1 of count"}
    line = PROGRAM[: PROGRAM.index("cudaMalloc")].count("\n") + 1
    assert {f.memory.made_at for f in ran.findings if f.memory} == {None, f"mine.cu:{line}"}


EARLY = """
__global__ void fill(int* a) { a[threadIdx.x] = 1; }
int main() {
  int* a = nullptr;
  cudaMallocManaged(&a, 256);
  fill<<<1, 64>>>(a);
  const int first = a[0];
  cudaFree(a);
  return first;
}
"""


def test_a_fault_of_the_host_shows_both_of_its_lines(tmp_path: Path) -> None:
    (found,) = run(tmp_path, EARLY).findings
    assert (found.code, found.label, found.place.line) == ("WG173", "the host's calls", 7)
    assert found.other and found.other.line == 6
    assert found.other.access == "kernel fill in the default stream writes"


def test_what_does_not_compile_is_the_user_s(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nvcc does not compile it"):
        run(tmp_path, "int main() { return nothing; }\n")


REMOVED = """
__global__ void work(int* out) {
  __shared__ int seen[64];
  seen[threadIdx.x / 2] = threadIdx.x;  // nobody reads it
  out[threadIdx.x] = 1;
}
int main() {
  int* out = nullptr;
  cudaMalloc(&out, 256);
  work<<<1, 64>>>(out);
  cudaFree(out);
}
"""


def test_what_the_optimiser_removes_is_found_on_request(tmp_path: Path) -> None:
    ran = run(tmp_path, REMOVED, thorough=True)
    assert ran.findings == ()
    assert [(finding.check, finding.place.line) for finding in ran.unoptimised] == [("race", 4)]


def test_what_both_builds_show_stands_once(tmp_path: Path) -> None:
    ran = run(tmp_path, PROGRAM, thorough=True)
    assert ran.findings
    assert ran.unoptimised == ()


def test_known_findings_are_suppressed_with_their_reason(tmp_path: Path) -> None:
    rules = tmp_path / "known.supp"
    rules.write_text("* count mine.cu as intended\n", encoding="utf-8")
    ran = run(tmp_path, PROGRAM, "", rules=rules)
    assert (ran.status, ran.findings) == (3, ())
    (used,) = ran.suppressed
    assert (used.rule, used.reason) == (f"{rules}:1", "as intended")
    assert used.findings > 0


def test_a_line_that_is_no_rule_is_reported_with_its_number(tmp_path: Path) -> None:
    rules = tmp_path / "known.supp"
    rules.write_text("* count mine.cu\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"known\.supp:1: a rule has four parts"):
        run(tmp_path, PROGRAM, rules=rules)


PRINTS = """
#include <cstdio>
__global__ void print(float number) {
  printf("%d\\n", number);
  printf("%d %d\\n", 1);
}
int main() {
  print<<<1, 1>>>(2.5f);
  return cudaDeviceSynchronize();
}
"""


def test_the_compiler_s_warnings_are_kept(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    ran = run(tmp_path, PRINTS)
    assert ran.status == 0 and not ran.findings
    warned = {(each.severity, each.file, each.line) for each in ran.warnings}
    assert warned == {("warning", "mine.cu", 4), ("warning", "mine.cu", 5)}
    assert len(ran.warnings) == 2 and "conversion" in ran.warnings[0].text


def test_memory_has_the_name_that_the_program_gives_it(tmp_path: Path) -> None:
    ran = run(tmp_path, PROGRAM.replace("  cudaMemset(bins, 0, 8);\n", ""))
    names = {each.memory.allocation for each in ran.findings if each.memory and each.memory.space == "global"}
    assert names == {"bins"}
