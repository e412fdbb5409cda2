"""Recordings of one's own program: races between blocks, later launches, structs as parameters, calls."""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from support.programs.recorded_programs import recorded
from support.programs.recordings import REPOSITORY
from warpgrade.core.errors import UsageError
from warpgrade.player import moments, program_scene, story
from warpgrade.player.recording import READ, WRITE, BlockRecording, accessed

NODE = shutil.which("node")
PROBE = Path(__file__).parent / "page" / "answers.mjs"

pytestmark = pytest.mark.skipif(not REPOSITORY.emulator.exists(), reason="needs the emulator: make tools")


@pytest.mark.parametrize(("block", "access"), [(0, "write"), (1, "read")])
def test_of_a_race_between_blocks_each_block_shows_its_own_side(block: int, access: str) -> None:
    """Thread (0) of block 1 reads sent[37], the second element that thread (5) of block 0 writes."""
    made = program_scene.of_file(recorded("exchange", block)).recording
    (row,) = made.head["findings"]
    assert (row["access"], row["element"]) == (access, {"array": "sent", "index": 37})
    assert row["between_blocks"] and row["other"]["block"] == [1 - block, 0, 0]
    (touched,) = (each for each in made.steps[row["step"]].accesses if each.space == "global")
    (start,) = (int(each["address"], 16) for each in made.head["arrays"] if each["name"] == "sent")
    assert touched.addresses[row["thread"][0]] == start + 4 * 37
    found = "\n".join(story.lines(made))
    assert (
        f"thread ({row['thread'][0]}) {access}s " in found
        and f"The other access is in block ({1 - block},0,0)" in found
    )
    assert "What happened to sent[37]:" in found


def test_of_a_barrier_that_threads_pass_both_sides_are_shown_in_the_turn_in_which_they_part() -> None:
    """In the loop's first turn all 32 lanes arrive, in the second only eight."""
    made = program_scene.of_file(recorded("divided")).recording
    row = next(each for each in made.head["findings"] if each["check"] == "barrier")
    opened = [at for at, step in enumerate(made.steps) if step.opens]
    waits, passes = row["step"], row["other_step"]
    assert moments.is_barrier(waits, made) and not moments.is_barrier(passes, made)
    assert opened[0] < waits <= opened[1] and opened[0] < passes <= opened[1]
    assert made.steps[waits].mask == 0xFF and made.steps[passes].has(row["other"]["thread"][0])
    found = "\n".join(story.lines(made))
    assert "thread (0) waits at the barrier" in found and "goes on without the barrier" in found


def test_members_of_shared_structs_have_their_names_in_races() -> None:
    made = program_scene.of_file(recorded("divided")).recording
    (shared,) = made.head["shared"]
    assert (shared["shape"], [each["name"] for each in shared["columns"]]) == ([32, 2], [".value", ".count"])
    race = next(each for each in made.head["findings"] if each["check"] == "race")
    assert re.search(r"writes samples\[\d+\]\.count, which", race["message"])
    assert "byte" not in race["message"]


def test_a_place_outside_of_an_array_is_called_as_an_index() -> None:
    """Nothing was accessed before the fault: the parameter alone tells which array it is."""
    made = program_scene.of_file(recorded("beyond")).recording
    (row,) = made.head["findings"]
    assert row["outside"] == "in[-3]" and row["thread"] == [0, 0, 0]
    assert "in[-3], 12 bytes before the start of in (1024 bytes)" in row["message"]
    assert made.head["called"] == "beyond"


def test_a_file_into_which_no_launch_was_recorded_says_why(tmp_path: Path) -> None:
    file = tmp_path / "run.recording"
    file.touch()
    assert program_scene.is_recording(file)
    with pytest.raises(UsageError, match="no launch had the kernel and the block") as found:
        program_scene.of_file(file)
    assert found.value.file == file and "WARPGRADE_RECORD_KERNEL" in (found.value.remedy or "")
    (tmp_path / "kernel.cu").touch()
    assert not program_scene.is_recording(tmp_path / "kernel.cu")


def test_what_is_no_recording_is_named_and_is_its_users_mistake(tmp_path: Path) -> None:
    (tmp_path / "kernel.cu").write_text("int main() {}")
    for name, words in (("nothing", "is not there"), ("kernel.cu", "is no recording")):
        with pytest.raises(UsageError, match=words) as found:
            program_scene.of_file(tmp_path / name)
        assert found.value.file == tmp_path / name and "WARPGRADE_RECORD" in (found.value.remedy or "")


def test_a_later_launch_of_a_kernel_is_recorded() -> None:
    first, second = (
        program_scene.of_file(recorded("reduction", launch=launch)).recording for launch in (1, 2)
    )
    assert [made.head["launch"] for made in (first, second)] == [1, 2]
    starts = [int(made.head["parameters"][0]["value"], 16) for made in (first, second)]
    assert [reads_of(first), reads_of(second)] == starts == [starts[0], starts[0] + 4 * 64]


def reads_of(made: BlockRecording) -> int:
    """The first address that the block reads in global memory."""
    return next(
        access.addresses[lane]
        for step in made.steps
        for access, lane in accessed(step)
        if access.space == "global" and access.kind == READ and step.warp == 0
    )


@pytest.mark.optional
@pytest.mark.skipif(NODE is None, reason="needs node: apt-get install nodejs")
def test_a_step_tells_for_each_array_how_many_threads_touch_it(tmp_path: Path) -> None:
    made = program_scene.of_file(recorded("shifted")).recording
    file, asked = tmp_path / "recording", tmp_path / "questions.json"
    file.write_bytes(json.dumps(made.head).encode() + b"\n" + made.stream)
    writes = [
        at for at, step in enumerate(made.steps) for access in step.accesses
        if access.space == "shared" and access.kind == WRITE
    ]  # fmt: skip
    asked.write_text(json.dumps([{"tell": at} for at in writes]))
    assert NODE
    ran = subprocess.run([NODE, PROBE, file, asked], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    first, second = json.loads(ran.stdout)
    assert first.endswith("32 threads write 32 elements of tile, [0][1] to [4][0].")
    assert second.endswith(
        "31 threads write 31 elements of tile, [4][1] to [7][7]; thread (7,7) writes edge[0]."
    )


@pytest.mark.optional
@pytest.mark.skipif(NODE is None, reason="needs node: apt-get install nodejs")
def test_members_of_a_parameter_and_variables_of_a_call_are_shown(tmp_path: Path) -> None:
    file = recorded("with_options")
    made = program_scene.of_file(file).recording
    name = next(each["name"] for each in made.head["functions"] if "scaled" in each["name"])
    called = next(each for each in made.head["functions"] if each["name"] == name)
    inside = range(called["first"], called["first"] + called["instructions"])
    last = max(at for at, step in enumerate(made.steps) if step.instruction in inside)
    moments = [{"moment": last, "thread": 6}, {"moment": last, "thread": 6, "why": True}]
    asked = tmp_path / "questions.json"
    asked.write_text(json.dumps([*moments, {"moment": len(made.steps) - 1, "thread": 6}]))
    assert NODE
    ran = subprocess.run([NODE, PROBE, file, asked], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    in_call, reasons, in_kernel = map(dict, json.loads(ran.stdout))
    assert (number(in_call["number"]), number(in_call["product"])) == (81, 40.5)
    assert "not inlined" in reasons["kept"], "its place is not recorded, and not removed by the compiler"
    assert "options" not in reasons and "result" not in {*in_call, *reasons}
    members = {"low": 3, "high[0]": 4, "high[1]": 5}
    assert {in_kernel[f"options.range.{name}"] == value for name, value in members.items()} == {True}
    assert (number(in_kernel["options.scale"]), number(in_kernel["result"])) == (0.5, 45.5)


def number(word: int) -> float:
    """The float of these bits."""
    return float(struct.unpack("<f", struct.pack("<I", word))[0])
