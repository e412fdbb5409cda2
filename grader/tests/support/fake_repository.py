"""A repository with one small lab and imitations of nvcc, ptxas, generator and harness.

The pipeline's tests run on it in milliseconds. What a kernel "does" stands in comments of its
source, one for each case: `// first: wrong`. The imitations are shell scripts, as a box holds
nothing else that could run them.
"""

from __future__ import annotations

from pathlib import Path

from warpgrade.core.paths import Repository

LAB = "07-fake"
KERNEL = "fake_kernel"
_SCRIPTS = Path(__file__).with_name("fake_tools")

LAB_TOML = """\
title = "A lab for tests"
teaches = ["Nothing"]
kernels = ["fake_kernel"]
files = ["kernel.cu"]
sizes = "any size"
values = ["integers", "zero-mean"]
covers = "C"

[parameters]
m = { from = 1, to = 4096, is = "rows of A and C" }
n = { from = 1, to = 4096, is = "columns of B and C" }
k = { from = 1, to = 4096, is = "columns of A, rows of B" }

[arrays]
A = ["m", "k"]
B = ["k", "n"]
C = ["m", "n"]

[work]
flops = "2*m*n*k"
bytes = "4*(m*k + k*n + m*n)"
rate = "flops"

[points]
build = 10

[[case]]
name = "first"
m = 4
n = 4
k = 4
values = "integers"
points = 20
visibility = "visible"

[[case]]
name = "second"
m = 8
n = 8
k = 4
values = "zero-mean"
points = 20
visibility = "name"

[[case]]
name = "third"
m = 8
n = 16
k = 8
values = "zero-mean"
points = 20
visibility = "hidden"

[[technique]]
name = "reuse"
goal = "each element is loaded once"
case = "first"
points = 10
evidence = "loads <= limit"
slack = 1.25
met = "loads each element {loads:times}; {limit} is right"

[technique.where]
loads = "global_load_bytes / 4 / (m*k + k*n)"
limit = "(m*k * ceil(n / elements_x) + k*n * ceil(m / elements_y)) / (m*k + k*n)"

[performance]
points = 20
sizes = [[64, 64, 64]]
gpu_sizes = [[1024, 1024, 1024]]
full = 0.90
none = 0.20

[limits]
seconds = 1
steps = 100000
shared_bytes = 49152

[[hint]]
todo = 1
text = "Think."
"""

GOOD = f'extern "C" __global__ void {KERNEL}(const float* A, float* C, int n) {{}}\n'


def make_repository(root: Path) -> Repository:
    """A repository at `root` with the imitations in the places of the real tools."""
    repository = Repository(root)
    write(repository.labs / LAB / "lab.toml", LAB_TOML)
    write(repository.labs / LAB / "kernel.cu", GOOD)
    write(repository.common / "launch_shape.cuh", "#define LAUNCH_SHAPE(a, b, c, d)\n")
    write(repository.solution(LAB) / "kernel.cu", GOOD)
    places = {
        "nvcc": repository.toolkit / "bin" / "nvcc",
        "ptxas": repository.toolkit / "bin" / "ptxas",
        "fatbinary": repository.toolkit / "bin" / "fatbinary",
        "harness": repository.harness(LAB),
    }
    for name, place in places.items():
        write(place, (_SCRIPTS / name).read_text(encoding="utf-8")).chmod(0o755)
    write(repository.emulator, "not a library")
    checkout = Repository(Path(__file__).resolve().parents[3])
    repository.emu.symlink_to(checkout.emu)  # the real one: it takes milliseconds
    gpus = checkout.gpus
    for name in ("h200.toml", "compute_capability.toml"):
        write(repository.gpus / name, (gpus / name).read_text(encoding="utf-8"))
    return repository


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def hand_in(folder: Path, student: str, *lines: str) -> Path:
    """A student's folder whose kernel behaves as the lines say: "second: race", "SYNTAX"."""
    return write(folder / student / LAB / "kernel.cu", "".join(f"// {line}\n" for line in lines) + GOOD)


def stages(out: Path, student: str) -> Path:
    """The folder of the stages of the student's only attempt."""
    (folder,) = (out / student / LAB).iterdir()
    return folder
