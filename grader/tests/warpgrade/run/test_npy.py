"""Reading .npy files without NumPy, whatever a program wrote."""

from __future__ import annotations

import struct

import pytest

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
