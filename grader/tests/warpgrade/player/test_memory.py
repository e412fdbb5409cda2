"""What memory without a name is called, and what its elements are."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.programs.recorded_programs import SOURCE, recorded, run
from support.programs.recordings import REPOSITORY
from warpgrade.player import memory, program_scene, story
from warpgrade.player.recording import READ, WRITE, BlockAccess, BlockRecording, BlockStep
from warpgrade.records.finding import Memory

NODE = shutil.which("node")
PROBE = Path(__file__).parent / "page" / "answers.mjs"
needs_emulator = pytest.mark.skipif(not REPOSITORY.emulator.exists(), reason="needs the emulator: make tools")

FLOAT = {"kind": "float", "name": "float", "bytes": 4, "extents": []}
DOUBLE = FLOAT | {"name": "double", "bytes": 8}


def completed(
    size: int, *pointers: tuple[str, int, Any], steps: tuple[BlockStep, ...] = (), allocated: str = ""
) -> dict[str, Any]:
    """An allocation at 0x1000 with these pointers: name, bytes from its begin, and what they point to."""
    row = {"name": "allocation 3", "address": "0x1000", "bytes": size, "allocated": allocated}
    listed = [{"name": name, "address": hex(0x1000 + at), "to": to} for name, at, to in pointers]
    head = {"arrays": [row], "pointers": listed, "shared": [], "variables": []}
    memory.complete(BlockRecording(head, b"", steps=list(steps)))
    assert "pointers" not in head
    return row


def record(*members: tuple[str, int, Any], size: int) -> dict[str, Any]:
    listed = [{"name": name, "offset": offset, "type": type} for name, offset, type in members]
    return {"kind": "struct", "name": "Body", "bytes": size, "extents": [], "members": listed}


def accesses(size: int, *contents: bytes, kind: int = READ) -> BlockStep:
    lanes = dict(enumerate(contents))
    addresses = {lane: 0x1000 + size * lane for lane in lanes}
    return BlockStep(
        0, 0, 1, {}, (BlockAccess(kind, "global", size, addresses, lanes, lanes),), None, None, False, False
    )


def test_memory_is_called_as_the_parameter_and_counted_from_where_it_points() -> None:
    row = completed(96, ("in", 32, FLOAT))
    assert (row["name"], row["element"], row["kind"], row["shape"]) == ("in", 4, "float", [24])
    assert [memory.element_name(row, at) for at in (0, 8, 23)] == ["in[-8]", "in[0]", "in[15]"]
    assert row["note"] == "allocation 3"


def test_two_parameters_give_an_element_two_names() -> None:
    row = completed(96, ("in", 0, FLOAT), ("out", 64, FLOAT), ("same", 0, FLOAT), allocated="main.cu:7")
    assert memory.element_name(row, 3) == "in[3] (same[3])"
    assert memory.element_name(row, 20) == "in[20] (out[4]) (same[20])"
    assert row["note"] == "allocation 3, of main.cu:7; out = in + 16; same = in"


def test_a_parameter_of_another_type_is_reported_and_names_no_element() -> None:
    row = completed(96, ("in", 0, FLOAT), ("wide", 4, DOUBLE), ("odd", 6, FLOAT))
    assert memory.element_name(row, 3) == "in[3]"
    assert row["note"] == "allocation 3; wide = in + 1; odd is 6 bytes behind in"


def test_members_of_a_struct_are_columns_and_rows_of_a_pointer_to_arrays_are_rows() -> None:
    whole = {"kind": "int", "name": "int", "bytes": 4, "extents": []}
    body = record(("mass", 0, FLOAT), ("at", 4, FLOAT | {"extents": [2]}), ("id", 12, whole), size=16)
    row = completed(64, ("bodies", 0, body))
    assert (row["element"], row["shape"]) == (4, [4, 4])
    assert [memory.element_name(row, at) for at in (0, 6, 15)] == [
        "bodies[0].mass", "bodies[1].at[1]", "bodies[3].id",
    ]  # fmt: skip
    assert [memory.kind_of(row, at) for at in (4, 7)] == ["float", "int"]
    tile = completed(128, ("tile", 64, FLOAT | {"extents": [16]}))
    assert (tile["shape"], memory.element_name(tile, 17)) == ([2, 16], "tile[0][1]")
    half = record(("__x", 0, {"kind": "uint", "name": "unsigned short", "bytes": 2, "extents": []}), size=2)
    assert completed(64, ("h", 0, half | {"name": "__half"}))["kind"] == "float"


def test_of_members_of_unlike_width_the_wide_ones_are_shown_in_parts() -> None:
    row = completed(64, ("mixed", 0, record(("x", 0, DOUBLE), ("n", 8, FLOAT), size=16)))
    assert (row["name"], row["element"], row["shape"]) == ("mixed", 4, [4, 4])
    names = [memory.element_name(row, at) for at in (4, 5, 6)]
    assert names == ["mixed[1].x (bytes 0 to 3)", "mixed[1].x (bytes 4 to 7)", "mixed[1].n"]
    row = completed(64, ("odd", 0, record(("x", 2, FLOAT), size=8)))
    assert (row["element"], row["shape"]) == (4, [16])


def test_an_index_outside_of_an_array_on_the_stack_is_named() -> None:
    places = [{"name": "pending", "places": [[0, 9, "local", 8]], "type": FLOAT | {"extents": [4]}}]
    head = {"variables": places, "shared": [], "arrays": []}
    assert memory.element_of(head, Memory(space="local", address="0x18", relation="after")) == "pending[4]"


def test_without_names_elements_are_as_the_accesses_show() -> None:
    reals = accesses(8, *(struct.pack("<d", value) for value in (1.5, -2.25, 0)))
    row = completed(64, ("parameter 1", 0, None), steps=(reals,))
    assert (row["name"], row["element"], row["kind"]) == ("parameter 1", 8, "float")
    numbers = accesses(4, *(struct.pack("<i", value) for value in (1, 7, -3)), kind=WRITE)
    row = completed(64, steps=(numbers,), allocated="main.cu:7")
    assert (row["name"], row["element"], row["kind"]) == ("allocation of main.cu:7", 4, "int")
    assert completed(64)["name"] == "allocation 3"


@needs_emulator
def test_the_page_and_the_text_name_memory_of_ones_own_program() -> None:
    made = program_scene.of_file(recorded("pointed")).recording
    rows = {row["name"]: row for row in made.head["arrays"]}
    lines = SOURCE.read_text().split("\n")
    allocated = 1 + next(at for at, line in enumerate(lines) if "cudaMalloc(&made" in line)
    unnamed = f"allocation of kernels.cu:{allocated}"
    assert list(rows) == ["in", "matrix.elements", "points", "rows", unnamed]
    assert rows["points"]["columns"][2] == {"name": ".z", "kind": "float"}
    assert rows[unnamed]["kind"] == "int" and rows["rows"]["kind"] == "pointer"
    assert rows["in"]["note"].endswith("out = in + 56")
    printed = "\n".join(story.lines(made, (3, 0, 0)))
    expected = (
        "reads in[3] = 0",
        "reads in[-5] = 0",
        "writes in[59] (out[3]) := 0",
        "writes matrix.elements[19] := 0",
        "writes points[3].z := 6",
        f"writes {unnamed}[3] := 3",
    )
    for words in expected:
        assert words in printed


@needs_emulator
@pytest.mark.optional
@pytest.mark.skipif(NODE is None, reason="needs node: apt-get install nodejs")
def test_the_page_gives_the_same_names_as_the_text(tmp_path: Path) -> None:
    made = program_scene.of_file(recorded("pointed")).recording
    file, asked = tmp_path / "recording", tmp_path / "questions.json"
    file.write_bytes(json.dumps(made.head).encode() + b"\n" + made.stream)
    places = [(row["name"], index) for row in made.head["arrays"] for index in (0, 3, 7)]
    places += [("in", at) for at in (63, 64, 70)]
    asked.write_text(json.dumps([{"array": name, "index": at, "called": True} for name, at in places]))
    assert NODE
    ran = subprocess.run([NODE, PROBE, file, asked], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == [story.name_of(made, name, at) for name, at in places]


@needs_emulator
@pytest.mark.optional
@pytest.mark.skipif(NODE is None, reason="needs node: apt-get install nodejs")
def test_global_memory_that_nothing_has_written_has_no_values(tmp_path: Path) -> None:
    """The first kernel writes out[0], a later one begins with it."""
    expected = {
        "reduction": ([[0, 1024]], ["unwritten", "known", "unwritten", "known", "not accessed"]),
        "histogram": ([[4, 1024]], ["known", "known", "unwritten", "known", "not accessed"]),
    }
    for kernel, (unwritten, looks) in expected.items():
        made = program_scene.of_file(recorded(kernel)).recording
        assert [row["unwritten"] for row in made.head["arrays"]] == [[], unwritten]
        file, asked = tmp_path / "recording", tmp_path / "questions.json"
        file.write_bytes(json.dumps(made.head).encode() + b"\n" + made.stream)
        last = len(made.steps) - 1
        places = (("out", 0, 0), ("out", 0, last), ("out", 200, last), ("in", 7, 0), ("in", 200, last))
        asked.write_text(
            json.dumps([{"look": True, "array": a, "index": i, "moment": at} for a, i, at in places])
        )
        assert NODE
        ran = subprocess.run([NODE, PROBE, file, asked], capture_output=True, text=True, timeout=60)
        assert ran.returncode == 0, ran.stderr
        assert json.loads(ran.stdout) == looks


@needs_emulator
@pytest.mark.parametrize("name", ["filled<float>", "filled<float>(float*)", "_Z6filledIfEvPT_"])
def test_a_kernel_is_recorded_by_the_name_in_its_source(name: str) -> None:
    made = program_scene.of_file(recorded(name)).recording
    assert made.head["kernel"] == "_Z6filledIfEvPT_"


@needs_emulator
def test_a_name_of_several_kernels_or_of_none_is_an_error_that_lists_them() -> None:
    file, printed = run("filled")
    assert not file.stat().st_size
    assert "WARPGRADE_RECORD_KERNEL='filled' is the name of several kernels" in printed
    assert "write one of: filled<float>, filled<int>" in printed
    file, printed = run("fill")
    assert not file.stat().st_size
    assert "is no kernel of this program; it has: " in printed
    for each in ("exchange", "filled<int>", "(anonymous namespace)::hidden", "reduction"):
        assert each in printed
    assert printed.count("warpgrade: cudaLaunchKernel: WARPGRADE_RECORD_KERNEL") == 1
