"""What `emu` reads from PTX for the grader."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgrade.build import ptx
from warpgrade.build.emu import Emu, UnreadableFile
from warpgrade.build.ptx import FoundInstruction, PtxSummary
from warpgrade.core.paths import Repository

EMU = Emu(Repository(Path(__file__).resolve().parents[4]), "none")

TEXT = """
.const .align 4 .b8 launch_shape[16] = {16};
.visible .entry matmul(
\t.param .u64 .ptr .align 1 matmul_param_0,
\t.param .u32 matmul_param_1,
\t.param .align 8 .b8 matmul_param_2[24]
)
.maxntid 256, 1, 1
{
}
.entry _Z5otherv()
{
}
"""


def summary(text: str, folder: Path) -> PtxSummary:
    (folder / "kernel.ptx").write_text(text, encoding="utf-8", newline="\n")
    return EMU.summary(folder / "kernel.ptx")


def callers(text: str, folder: Path) -> tuple[str, ...]:
    (folder / "kernel.fatbin").write_text(text)
    return EMU.machine_code(folder / "kernel.fatbin", "sm_90").callers


def same_ptx(assembled: str, packed: bytes, folder: Path) -> bool:
    (folder / "kernel.ptx").write_text(assembled, newline="\n")
    (folder / "kernel.fatbin").write_bytes(packed)
    return EMU.packed(folder / "kernel.fatbin", folder / "kernel.ptx", None).same_ptx


def test_kernels(tmp_path: Path) -> None:
    assert summary(TEXT, tmp_path).kernels == {"matmul": ("u64", "u32", "b8[24]"), "_Z5otherv": ()}


@pytest.mark.parametrize(
    ("symbol", "name"),
    [("_Z12matmul_tiledPKfS0_Pfiii", "matmul_tiled"), ("matmul", "matmul"), ("_ZN3abc1fEv", "abc")],
)
def test_unmangled(symbol: str, name: str) -> None:
    assert ptx.unmangled(symbol) == name


@pytest.mark.parametrize(
    "piece", [".entry a(", ".entry a ", "/* ", '" ', ".global ", ".b8 x[", ".param .align "]
)
def test_any_text_takes_no_time(piece: str, tmp_path: Path) -> None:
    """Even if a construct begins again and again and never ends. (With n² steps this takes hours.)"""
    text = "\n" + piece * 100_000
    summary(text, tmp_path)
    summary(text + " \n" * 100_000, tmp_path)
    callers(text, tmp_path)
    assert same_ptx(text, text.encode(), tmp_path)


def test_long_comments_become_empty_lines(tmp_path: Path) -> None:
    """Else fatbinary would pack fewer lines than ptxas counts, and line numbers would not fit the text."""
    text = 'a; /* b\n# c */ d; // e /*\nf; "/*\n*/" /* g */'
    assert summary(text, tmp_path).without_long_comments == 'a;  \n d; // e /*\nf; "/*\n*/" /* g */'


def test_lines_for_a_preprocessor(tmp_path: Path) -> None:
    assert (
        summary('a;\n \t# 3 "b"\n', tmp_path).has_preprocessor_line
        and summary("/*\n*/ #line 3", tmp_path).has_preprocessor_line
    )
    assert not summary('// #\n/*\n#\n*/ "\n#" a #\n', tmp_path).has_preprocessor_line


@pytest.mark.parametrize("word", ["tex.1d.v4.f32.s32", "sust.b.1d.b32.trap", "suq.width.b32", "tld4.r.2d"])
def test_instructions_that_want_a_texture(word: str, tmp_path: Path) -> None:
    assert summary(f"a;\n@%p1 {word} %r1;", tmp_path).texture == FoundInstruction(word, 2)
    assert summary(f'// {word}\nmov.u32 %{word};\n.file 1 "{word}" context.tex.x', tmp_path).texture is None


CALLS = ".entry calls() { @%p1 call.uni (r), f, (p); call f2, (p); ret; }\n.entry other() { ret; }\n"


def test_kernels_that_call_functions(tmp_path: Path) -> None:
    own = ".func (.param .b32 r) f(.param .b64 p) { ret; }"
    for text in (
        own,
        f".visible {own}",
        ".func(.param .b32 r) f() { ret; }",
    ):  # the last as inline assembly has it
        assert callers(text + CALLS, tmp_path) == ("calls",), text
        assert callers(CALLS + text, tmp_path) == ("calls",), text
    extern = ".extern .func (.param .b32 r) vprintf (.param .b64 a);\n"
    assert callers(extern + CALLS, tmp_path) == () == callers(f"{CALLS}// {own}\n", tmp_path)
    assert callers(TEXT + own, tmp_path) == ()


def test_numbers_without_an_end(tmp_path: Path) -> None:
    digits = "1" * 5000  # Python converts 4,300
    assert ptx.unmangled(f"_Z{digits}") != ""
    assert summary(f".global .b8 x[{digits}];", tmp_path).global_bytes > 1 << 60


def test_device_memory_of_variables(tmp_path: Path) -> None:
    text = """
.visible .global .align 1 .b8 huge[1125899906842624];
.global .align 4 .b32 one = 7;
.weak .global .align 8 .u64 table[2][3] = {1, 2};
.const .align 4 .b8 launch_shape[16] = {16};
\tst.global.b32 [%rd1], %r2;
"""
    assert summary(text, tmp_path).global_bytes == (1 << 50) + 4 + 48


@pytest.mark.parametrize("size", ["0x10000000", "1 << 28", "0b1", "8U"])
def test_a_size_that_nvcc_does_not_write_is_too_large(size: str, tmp_path: Path) -> None:
    assert summary(f"{{ .global .align 4 .b32 x[2][{size}], y[7]; }}", tmp_path).global_bytes > 1 << 60


def test_variables_of_inline_assembly(tmp_path: Path) -> None:
    text = "{ .global .v4 .f32 x[3], y; ld.global.f32 %f1, [%rd1+8]; .extern .global .b8 other[]; }"
    assert summary(text, tmp_path).global_bytes == 48 + 16 + 1


def test_comments_and_strings_are_no_kernels(tmp_path: Path) -> None:
    """Inline assembly may bring any text."""
    for hidden in ("// .entry matmul()\n", "/* .entry\n matmul( ) */", '.file 1 ".entry matmul()"\n'):
        assert (
            summary(TEXT + hidden, tmp_path).kernels
            == summary(hidden + TEXT, tmp_path).kernels
            == summary(TEXT, tmp_path).kernels
        )


@pytest.mark.parametrize(
    "text",
    [
        "\n\twmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1}, [%rd1];",
        "\n@%p1 mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1};",
        "/* one\n*/{wgmma.fence.sync.aligned;}",
        "\nmma .sync.aligned.m8n8k4",
    ],
)
def test_tensor_cores(text: str, tmp_path: Path) -> None:
    found = summary(text, tmp_path).tensor
    assert found is not None and found.line == 2


@pytest.mark.parametrize(
    "text", ["// wmma.load", "/* mma.sync */", '"mma.sync"', "fma.rn.f32", "%mma.x", "my_mma.f"]
)
def test_no_tensor_cores(text: str, tmp_path: Path) -> None:
    assert summary(text, tmp_path).tensor is None


@pytest.mark.parametrize(
    "hides", ['.pragma "\\"; {} .pragma "x";', '.pragma "a\nb"; {} .pragma "x";', '"\\\\" {}']
)
def test_a_string_ends_at_the_next_quote(hides: str, tmp_path: Path) -> None:
    """Strings are read as the assembler reads them: without escapes, over several lines."""
    assert summary(hides.format("mma.sync.aligned.m8n8k4;"), tmp_path).tensor is not None


def test_a_comment_ends_at_a_newline_and_at_nothing_else(tmp_path: Path) -> None:
    assert summary("// a\r mma.sync;", tmp_path).tensor is None
    assert same_ptx("// a\r add;\n", b"", tmp_path) and same_ptx("a // b\n c", b"a\nc", tmp_path)


def test_blanks_and_comments_make_no_difference(tmp_path: Path) -> None:
    packed = b"\1\2.version 9.0\n.target sm_75\nadd.f32 %f1,%f1, a;\n\0elf"
    text = ".version 9.0\n.target sm_75 // x\n\tadd.f32 \t%f1 , %f1,/* b */a ;\n"
    assert same_ptx(text, packed, tmp_path)


@pytest.mark.parametrize(
    ("assembled", "packed"),
    [
        ("ad/**/d.f32 a;", "add.f32 a;"),
        ('.file 1 "// a";', '.file 1 "'),
        ("// a\radd;", "\radd;"),
        ("a; /*\n*/\nb;", "a;\nb;"),
    ],
)
def test_what_is_read_in_two_ways_differs(assembled: str, packed: str, tmp_path: Path) -> None:
    assert not same_ptx(assembled, packed.encode(), tmp_path)


def test_source_locations(tmp_path: Path) -> None:
    file = tmp_path / "kernel.ptx"
    file.write_text('.file 1 "/box/kernel.cu"\n.file 2 "a/b.h"\n.loc 1 7 1\nadd;\n.loc 2 8 1\nmul;\n')
    found = EMU.locations(file)
    assert found.at(2) == ("", None)
    assert found.at(3) == found.at(4) == ("kernel.cu", 7)
    assert found.at(6) == ("b.h", 8)
    assert found.at(6, "kernel.cu") == ("kernel.cu", 7)
    assert found.at(6, "other.cu") == ("", None)


def test_a_location_in_a_file_without_a_name(tmp_path: Path) -> None:
    file = tmp_path / "kernel.ptx"
    file.write_text(".loc 1 7 1\nadd;\n")
    assert EMU.locations(file).at(2) == ("", 7)


PACKED = """.version 9.0
.target sm_75
.address_size 64
.visible .entry k()
{{
.reg .b32 %r<3>;
.loc 1 {line} 3
{opcode}.s32 %r1, %r2, 7;
ret;
}}
.file 1 "kernel.cu"
"""


def test_fingerprints_of_many_files(tmp_path: Path) -> None:
    """In the order of the files, whatever some of them are; where the code stands makes no difference to its
    hash.
    """
    texts = [PACKED.format(line=n % 9 + 1, opcode=("add", "sub")[n % 2]) for n in range(70)] + ["", "no PTX"]
    files = [tmp_path / f"{number}.fatbin" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_bytes(b"\1\2" + text.encode() + b"\0elf")
    *good, empty, other, missing = EMU.fingerprints([*files, tmp_path / "missing"])
    assert missing is None and empty and other and empty.terms is None and other.terms is None
    assert all(each and each.terms and each.terms[0][1] == (n % 9 + 1,) for n, each in enumerate(good))
    assert len({each.code for each in good if each}) == 2 and len({each.terms[0][0] for each in good}) == 2


def test_one_file_that_stops_emu_costs_no_other_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Emu._read

    def stopped(emu: Emu, kind: type, what: str, files: tuple[Path, ...], *options: str) -> object:
        if any(file.name == "5" for file in files):
            raise UnreadableFile("over a limit")
        return read(emu, kind, what, files, *options)

    monkeypatch.setattr(Emu, "_read", stopped)
    files = [tmp_path / str(number) for number in range(9)]
    for file in files:
        file.write_text(PACKED.format(line=1, opcode="add"))
    assert [each is None for each in EMU.fingerprints(files)] == [number == 5 for number in range(9)]
