"""Reading .npy files without NumPy, whatever a program wrote."""

from __future__ import annotations

import math
import struct
import subprocess
from pathlib import Path

import pytest

from warpgrade.core.paths import here
from warpgrade.run import npy


def file(head: str, body: bytes, version: int = 1) -> bytes:
    length = struct.pack("<H" if version == 1 else "<I", len(head))
    return b"\x93NUMPY" + bytes((version, 0)) + length + head.encode() + body


HEAD = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n"
BODY = struct.pack("<2f", 1.5, -2.0)


@pytest.mark.parametrize("version", [1, 2])
def test_an_array(version: int) -> None:
    found = npy.read(file(HEAD, BODY, version))
    assert (found.dtype, found.shape, list(found.values)) == ("f4", (2,), [1.5, -2.0])


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "was not written"),
        (b"1.5 -2.0", "does not begin"),
        (file(HEAD, BODY)[:20], "longer than the file"),
        (file(HEAD, BODY[:-1]), "holds 7 bytes"),
        (file(HEAD, BODY + b"x"), "holds 9 bytes"),
        (file(HEAD.replace("<f4", "<c8"), BODY), "of type '<c8'"),
        (file(HEAD.replace("(2,)", "2"), BODY), "no shape"),
        (file(HEAD.replace("(2,)", "(-2,)"), BODY), "no shape"),
        (file(HEAD.replace("(2,)", f"({'9' * 900},)"), BODY), "no shape"),
        (file("__import__('os').system('true')\n", BODY), "no Python dictionary"),
        (file("[" * 1000, BODY), "no Python dictionary"),
        (file(HEAD.replace("False", "True").replace("(2,)", "(2, 1)"), BODY), "column-major"),
    ],
)
def test_what_is_no_array(data: bytes, why: str) -> None:
    with pytest.raises(npy.NotNpy, match=why):
        npy.read(data)


@pytest.mark.parametrize("data", [file(HEAD, BODY, 2), file(HEAD.replace("<", "="), BODY)])
def test_one_file_for_each_array(data: bytes) -> None:
    found = npy.read(data)
    again = npy.written(found)
    assert npy.read(again) == found and again == npy.written(npy.read(again))
    assert again.startswith(b"\x93NUMPY\x01\x00") and (len(again) - len(BODY)) % 64 == 0


def test_a_truth_value_is_no_extent() -> None:
    found = npy.read(file(HEAD.replace("(2,)", "(True, 2)"), BODY))
    assert "True" not in repr(found.shape) and found.shape == (1, 2)


PROGRAM = """
#include "npy.hpp"
#include <cstdio>
template <class T>
void copy(const char* from, const char* to) {
  std::vector<std::size_t> shape;
  const std::vector<T> values = read_npy<T>(from, &shape);
  write_npy(to, values.data(), shape);
}
int main(int, char** argv) try {
  const char type = argv[1][0];
  if (type == 'f') copy<float>(argv[2], argv[3]);
  if (type == 'd') copy<double>(argv[2], argv[3]);
  if (type == 'B') copy<unsigned char>(argv[2], argv[3]);
  if (type == 'q') copy<long long>(argv[2], argv[3]);
} catch (const std::exception& error) {
  std::puts(error.what());
  return 1;
}
"""


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that copies an array with the header that programs of labs read and write arrays with."""
    folder = tmp_path_factory.mktemp("npy")
    (folder / "copy.cpp").write_text(PROGRAM, encoding="utf-8")
    flags = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", str(here().common))
    subprocess.run(["g++", *flags, "copy.cpp", "-o", "copy"], cwd=folder, check=True)
    return folder / "copy"


@pytest.mark.parametrize(
    ("letter", "dtype", "shape"),
    [
        ("f", "f4", (2,)),
        ("d", "f8", (3, 1)),
        ("B", "u1", (1, 2, 2)),
        ("q", "i8", (1,) * 8),
        ("f", "f4", (0, 5)),
    ],
)
def test_programs_of_labs_write_the_same_bytes(
    copies: Path, letter: str, dtype: str, shape: tuple[int, ...], tmp_path: Path
) -> None:
    numbers = range(1, 1 + math.prod(shape))
    array = npy.NpyArray(dtype, shape, struct.pack(f"<{len(numbers)}{letter}", *numbers))
    (tmp_path / "a.npy").write_bytes(npy.written(array))
    subprocess.run([copies, letter, tmp_path / "a.npy", tmp_path / "b.npy"], check=True)
    assert npy.read((tmp_path / "b.npy").read_bytes()) == array
    assert len((tmp_path / "b.npy").read_bytes()[: -len(array.body) or None]) % 64 == 0


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "is no .npy file"),
        (b"1.5", "is no .npy file"),
        (file(HEAD.replace("<f4", "<f8"), BODY), "holds no array of '<f4'"),
        (file(HEAD, BODY)[:30], "holds no array of '<f4'"),
        (file(HEAD, BODY[:-1]), "is too short"),
    ],
)
def test_programs_of_labs_say_what_they_cannot_read(
    copies: Path, content: bytes | None, why: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "a.npy").write_bytes(content)
    command = [copies, "f", tmp_path / "a.npy", tmp_path / "b.npy"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, f"{tmp_path / 'a.npy'} {why}\n")
