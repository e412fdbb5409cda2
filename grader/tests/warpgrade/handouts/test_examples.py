"""Code in handouts is true: it compiles, runs on the emulator, and what is wrong is wrong as they say."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
NVCC = ROOT / ".deps" / "cuda" / "bin" / "nvcc"
EXAMPLES = sorted((ROOT / "handouts" / "examples").glob("*.cu"))
BUGS = sorted((ROOT / "handouts" / "bugs").glob("*.cu"))
FLAGS = ("-std=c++17", "-cudart", "shared", "--no-compress", "-lineinfo")
TARGET = ("-gencode", "arch=compute_75,code=compute_75")

RUNTIME = "LD_LIBRARY_PATH=build/emulator:.deps/debian/usr/lib/x86_64-linux-gnu"

# What each whole program prints; and what it takes beside its own file.
PROGRAMS = {
    "atomics": ((), "1 8 64 1000\n"),
    "model": ((), "1 16 1 2.000 1.000\n"),
    "host_program": (("64",), "-2 16 4\nwrong elements: 0;"),
}
# The errors that a handout says a compiler finds; empty: it compiles.
ERRORS = {
    "two-names": [f'"{name}" is undefined' for name in ("n", "ph", "tile_N", "__synchthreads")],
    "wrong-widths": ["must have pointer-to-object type", '"__syncthread" is undefined'],
    "one-clock": [],
}

pytestmark = pytest.mark.skipif(not NVCC.exists(), reason="needs the CUDA compiler: make prepares it")


def compile_to(program: Path, source: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    folders = [f"-I{ROOT / 'labs/common'}", f"-I{ROOT / 'solutions/02-tiled'}"]
    command = [str(NVCC), *FLAGS, *TARGET, *folders, *flags, str(source), "-o", str(program)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def run(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "LD_LIBRARY_PATH": f"{ROOT / 'build/emulator'}:{ROOT / '.deps/debian/usr/lib/x86_64-linux-gnu'}",
        "WARPGRADE_FINDINGS": os.devnull,
    }
    return subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("language", ["", ".de"])
def test_the_commands_of_the_handout_can_be_typed(language: str, tmp_path: Path) -> None:
    text = (ROOT / "handouts" / f"10-host-program{language}.md.j2").read_text()
    lines = text.split("```text\n")[1].split("```")[0]
    typed = lines.replace("labs/02-tiled", "solutions/02-tiled").replace("product", str(tmp_path / "product"))
    typed = typed.replace(f"./{tmp_path}", str(tmp_path)).replace("LD_LIBRARY_PATH=build/emulator", RUNTIME)
    done = subprocess.run(["bash", "-ec", typed], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "wrong elements: 0;" in done.stdout, done.stderr


def test_every_file_has_its_row() -> None:
    assert {path.stem for path in BUGS} == set(ERRORS)
    assert {path.stem for path in EXAMPLES if "int main" in path.read_text()} == set(PROGRAMS)


@pytest.mark.parametrize("source", EXAMPLES, ids=lambda path: path.stem)
def test_examples_compile_without_a_warning(source: Path, tmp_path: Path) -> None:
    done = compile_to(tmp_path / "out.ptx", source, "-Werror", "all-warnings", "-ptx")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_print_what_they_should_on_the_emulator(name: str, tmp_path: Path) -> None:
    arguments, expected = PROGRAMS[name]
    built = compile_to(tmp_path / name, ROOT / "handouts" / "examples" / f"{name}.cu")
    assert built.returncode == 0, built.stderr
    done = run(tmp_path / name, *arguments)
    assert done.returncode == 0 and done.stdout.startswith(expected), done.stdout + done.stderr


@pytest.mark.parametrize("source", BUGS, ids=lambda path: path.stem)
def test_a_compiler_says_what_the_answer_says(source: Path, tmp_path: Path) -> None:
    done = compile_to(tmp_path / "out.ptx", source, "-ptx")
    errors = [line for line in done.stderr.splitlines() if " error: " in line]
    expected = ERRORS[source.stem]
    assert len(errors) == len(expected), done.stderr
    for error, words in zip(errors, expected, strict=True):
        assert words in error


def test_one_clock_runs_backwards(tmp_path: Path) -> None:
    assert compile_to(tmp_path / "clock", ROOT / "handouts/bugs/one-clock.cu").returncode == 0
    assert run(tmp_path / "clock").stdout.startswith("-")
