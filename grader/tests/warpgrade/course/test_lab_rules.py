"""Each mistake in lab.toml that its schema cannot express is reported with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fake_repository import LAB, LAB_TOML, write
from warpgrade.core.errors import InstructorError
from warpgrade.course import lab
from warpgrade.records import Lab


def loaded(tmp_path: Path, text: str) -> Lab:
    write(tmp_path / LAB / "lab.toml", text)
    return lab.load(tmp_path / LAB)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("build = 10", "biuld = 10", 25, "unknown key 'biuld' in points"),
        ("m = 8\nn = 8", "m = 0\nn = 8", 38, "case[2].m: 0 is less than the minimum of 1"),
        ('values = "integers"', 'values = "large"', 32, "'large' is not one of"),
        ('name = "second"', 'name = "first"', 37, "two cases have the name 'first'"),
        ('case = "first"', 'case = "fourth"', 57, "there is no case 'fourth'"),
        (
            'evidence = "loads <= limit"',
            'evidence = "loads <= limits"',
            59,
            "no 'limits'; did you mean 'limit'?",
        ),
        ("full = 0.90", "full = 0.10", 71, "must be greater"),
        ("build = 10", "build = 11", 25, "make 101 points, not 100"),
        ("build = 10", "build = = 10", 25, "Invalid value"),
        ('files = ["kernel.cu"]', 'files = ["../kernel.cu"]', 4, "does not match"),
    ],
    ids=["unknown-key", "minimum", "choice", "twice", "case", "evidence", "order", "sum", "syntax", "path"],
)
def test_mistakes_name_their_line(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    assert old in LAB_TOML
    with pytest.raises(InstructorError) as caught:
        loaded(tmp_path, LAB_TOML.replace(old, new, 1))
    assert caught.value.line == line and caught.value.remedy, str(caught.value)
    assert words in str(caught.value)
    assert caught.value.exit_code == 3


def test_an_extent_is_a_number_or_an_expression(tmp_path: Path) -> None:
    text = LAB_TOML.replace('A = ["m", "k"]', 'A = ["m", "(k + 7) // 8", 2]')
    assert loaded(tmp_path, text).arrays[0].extents == ("m", "(k + 7) // 8", "2")


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("m = 8\nn = 8", "mm = 8\nm = 8\nn = 8", 38, "unknown key 'mm' in case[2]; did you mean 'm'?"),
        ("m = 8\nn = 8", "m = 8", 36, "case[2] lacks the parameter 'n'"),
        ("m = 8\nn = 8", "m = 8\nn = 8.5", 39, "case[2].n: 8.5 is not of type 'integer'"),
        ("m = 8\nn = 8", "m = 8\nn = true", 39, "case[2].n: True is not of type 'integer'"),
        ("m = 8\nn = 8", "m = 8\nn = 4097", 39, "4097 is greater than the maximum of 4096"),
        ("m = { from = 1, to", "ceil = { from = 1, to", 10, "a parameter cannot be called 'ceil'"),
        ("m = { from = 1, to", "points = { from = 1, to", 10, "'points' is no name of a parameter: each"),
        ("m = { from = 1, to", "m = { from = 9999, to", 10, "from = 9999 is greater than to = 4096"),
        ("sizes = [[64, 64, 64]]", "sizes = [[64, 64]]", 69, "[64, 64] holds 2 numbers, not 3"),
        ("sizes = [[64, 64, 64]]", "sizes = [[64, 64, 0]]", 69, "sizes: k: 0 is less than the minimum of 1"),
        ('flops = "2*m*n*k"', 'flops = "2*m*n*kk"', 20, "work.flops: there is no 'kk'; did you mean 'k'?"),
        ('flops = "2*m*n*k"', 'flops = "2*m*"', 20, "work.flops: '2*m*' is no expression: invalid syntax"),
        ('flops = "2*m*n*k"', 'flops = "m - m"', 20, "work.flops is not above 0"),
        ('flops = "2*m*n*k"', 'flops = "1 / (m - m)"', 19, "work has no value"),
        ('flops = "2*m*n*k"', "flops = 'ptx(\"add\")'", 20, "only a technique can count instructions"),
        ('rate = "flops"', 'rate = "flop"', 22, "'flop' is not one of ['flops', 'bytes']"),
        ('C = ["m", "n"]', 'C = ["m", "w"]', 17, "arrays.C: there is no 'w'"),
        ('covers = "C"', 'covers = "c"', 7, "covers: there is no array 'c'; did you mean 'C'?"),
        ('evidence = "loads <= limit"', 'evidence = "loads"', 59, "'loads' compares no two values"),
        ('evidence = "loads <= limit"', 'evidence = "0 < loads < limit"', 59, "compares no two values"),
        ('evidence = "loads <= limit"', 'evidence = "loads == limit"', 60, "slack has no meaning for =="),
        ('evidence = "loads <= limit"', "evidence = 'ptx(\"A|B\") < 1'", 59, "'A|B' is no pattern"),
        ("{loads:times}", "{lods:times}", 61, "there is no 'lods'; did you mean 'loads'?"),
        ("{loads:times}", "{loads:often}", 61, "{loads:often} has an unknown format"),
        ("{loads:times}", "{loads", 61, "cannot be filled in"),
        ("{loads:times}", "{loads.real}", 61, "there is no 'loads.real'"),
        ('loads = "global_load_bytes', 'loads = "global_loads_bytes', 64, "mean 'global_load_bytes'?"),
        ('loads = "global', 'blocks = "1"\nloads = "global', 64, "'blocks' has a meaning already"),
        ('slack = 1.25', 'slack = 1.25\nkernel = "fake"', 61, "there is no kernel 'fake'"),
        ('slack = 1.25', 'slack = 0.5', 60, "less than the minimum of 1"),
        ('covers = "C"', 'covers = "C"\nforgives = ["WG135", "WG999"]', 8, "there is no finding 'WG999'"),
        ('covers = "C"', 'covers = "C"\nsteered = true', 8, "only a lab of the kind 'program' has calls"),
        ('covers = "C"', 'pictures = "elements_q > 0"', 7, "pictures: there is no 'elements_q'"),
        ('values = "integers"\n', 'value = "integers"\n', 32, "lacks the key 'values'; is 'value' meant"),
        ('values = "integers"\n', 'values = "integer"\n', 32, "did you mean 'integers'?"),
        ('visibility = "visible"', 'visiblity = "visible"', 34, "is 'visiblity' meant to be it?"),
        ("points = 20", "pionts = 20", 33, "lacks the key 'points'; is 'pionts' meant to be it?"),
        ("points = 20", "points = nan", 33, "case[1].points is not a finite number"),
        ("points = 20", "points = -20", 33, "case[1].points: -20 is less than the minimum of 0"),
        ("m = 4\n", 'm = "4"\n', 29, "case[1].m: '4' is text"),
        ("m = 4\n", "m = 4.0\n", 29, "case[1].m: 4.0 is not of type 'integer'"),
        ("steps = 100000", "steps = 99999999999999999999", 76, "greater than the maximum"),
        ("steps = 100000", "steps = 1e5", 76, "limits.steps: 100000.0 is not of type 'integer'"),
        ('case = "first"', 'case = "fir_st"', 57, "there is no case 'fir_st'; did you mean 'first'?"),
        ('name = "first"', 'name = "the first"', 28, "'the first' is no name of letters, digits and hyphens"),
        ("m = { from", "m-1 = { from", 10, "'m-1' is no name of letters, digits and _"),
        ('covers = "C"', 'kind = "kernel"', 7, "kind: 'kernel' is not one of"),
        ('evidence = "loads <= limit"', 'evidence = "loads =< limit"', 59, "=< limit' is no expression"),
        ('evidence = "loads <= limit"', 'evidence = "loads < 10**10**10"', 59, "has no value: a power"),
        ('evidence = "loads <= limit"', 'evidence = "loads < m / 0"', 59, "'loads < m / 0' divides by zero"),
        ('A = ["m", "k"]', 'A = ["m - 5", "k"]', 15, "arrays.A: 'm - 5' is -1 in the case first"),
        ('A = ["m", "k"]', 'A = ["m / 3", "k"]', 15, "arrays.A: 'm / 3' is 1.3333"),
        ('A = ["m", "k"]', 'A = ["m / (n - 4)", "k"]', 15, "'m / (n - 4)' has no value in the case first"),
        ("[points]", "[drawn]\nm = { from = 0, to = 1 }\n[points]", 25, "'m' has the name of a parameter"),
        ("[points]", "[drawn]\na = { from = 3, to = 1 }\n[points]", 25, "from = 3 is greater than to = 1"),
        ('met = "', 'counts_if = "m > 1"\nmet = "', 54, "technique[1]: 'does_not_count' is a dependency of"),
        ('met = "', 'counts_if = "x > 1"\ndoes_not_count = "no"\nmet = "', 61, "counts_if: there is no 'x'"),
        ('met = "', 'counts_if = "m > 1"\ndoes_not_count = "{x}"\nmet = "', 62, "count: there is no 'x'"),
        ("[[case]]", "[case]", 27, "[case] is one of several"),
        ("[[technique]]", "[[techniques]]\n[technique.where]\n[[techniques]]", 54, "mean 'technique'?"),
        ("[[hint]]", '[[hint]]\ntodo = 1\ntext = "More."\n[[hint]]', 83, "two hints have the todo 1"),
    ],
)  # fmt: skip
def test_mistakes_in_the_declarations_name_their_line(
    tmp_path: Path, old: str, new: str, line: int, words: str
) -> None:
    assert old in LAB_TOML
    with pytest.raises(InstructorError) as caught:
        loaded(tmp_path, LAB_TOML.replace(old, new, 1))
    assert words in str(caught.value) and caught.value.line == line, str(caught.value)
    assert caught.value.remedy, str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("slack = 1.25", 'slack = 1.25\nkernel = "scan"', "those of all its launches"),
        ("global_load_bytes", "threads", "there is no 'threads'"),
    ],
)
def test_a_program_has_no_shape_and_no_single_kernel(tmp_path: Path, old: str, new: str, words: str) -> None:
    text = LAB_TOML.replace('covers = "C"', 'kind = "program"', 1)
    text = text.replace("elements_x", "blocks").replace("elements_y", "blocks")
    assert loaded(tmp_path, text).techniques, "counters of kernels are evidence in a lab of programs, too"
    with pytest.raises(InstructorError) as caught:
        loaded(tmp_path, text.replace(old, new, 1))
    assert words in str(caught.value)
