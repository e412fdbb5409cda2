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
        (file("__import__('os').system('true')\n", BODY), "no Python dictionary"),
        (file("[" * 1000, BODY), "no Python dictionary"),
        (file(HEAD.replace("False", "True").replace("(2,)", "(2, 1)"), BODY), "column-major"),
    ],
)
def test_what_is_no_array(data: bytes, why: str) -> None:
    with pytest.raises(npy.NotNpy, match=why):
        npy.read(data)


def array(*values: float) -> npy.NpyArray:
    return npy.NpyArray("f4", (len(values) // 2, 2), values)


def test_the_first_wrong_element_and_how_many_there_are() -> None:
    right = array(1, 2, 3, 4)
    assert npy.compare(right, right, None) is None
    wrong = npy.compare(array(1, 2, 3.5, float("nan")), right, None)
    assert wrong == npy.Difference((1, 0), 3, 3.5, 2, 4)
    assert npy.compare(array(1, 2, 3.5, 4), right, array(0, 0, 0.5, 0)) is None


def test_what_wrong_elements_have_in_common() -> None:
    right = array(1, 2, 3, 4)

    def common(*values: float) -> tuple[bool, bool]:
        found = npy.compare(array(*values), right, None)
        assert found is not None
        return found.are_alike, found.to_the_end

    assert common(1, 0, 0, 0) == (True, True)
    assert common(1, 0, 3, 0) == (True, False)
    assert common(1, 0, 5, 6) == (False, True)
    assert common(1, 2, 3, 0) == (False, False), "one alone has nothing in common with others"
