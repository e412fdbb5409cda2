"""The little that is read from PTX and from ptxas -v."""

from __future__ import annotations

import pytest

from warpgrade.build import ptx
from warpgrade.records import Resources

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
REPORT = """\
ptxas info    : 0 bytes gmem, 16 bytes cmem[3]
ptxas info    : Compiling entry function 'other' for 'sm_90'
ptxas info    : Used 99 registers, used 0 barriers
ptxas info    : Compiling entry function 'matmul' for 'sm_90'
ptxas info    : Function properties for matmul
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 8192 bytes smem, 16 bytes cmem[2]
"""


def test_kernels() -> None:
    assert ptx.kernels(TEXT) == {"matmul": ("u64", "u32", "b8[24]"), "_Z5otherv": ()}


@pytest.mark.parametrize(
    ("symbol", "name"),
    [("_Z12matmul_tiledPKfS0_Pfiii", "matmul_tiled"), ("matmul", "matmul"), ("_ZN3abc1fEv", "abc")],
)
def test_unmangled(symbol: str, name: str) -> None:
    assert ptx.unmangled(symbol) == name


def test_resources() -> None:
    found = ptx.resources(REPORT, "matmul", "sm_90", 40, 8192)
    assert (found.registers, found.shared_bytes, found.stack_bytes) == (40, 8192, 8)
    assert (found.spill_stores, found.spill_loads, found.barriers, found.constant_bytes) == (4, 12, 1, 16)
    assert ptx.resources(REPORT, "another", "sm_90", 1, 2) == Resources("sm_90", 1, 2, 0, 0, 0, 0, 0)


def test_more_shared_memory_than_there_is() -> None:
    report = "ptxas error   : Entry function 'k' uses too much shared data (0x61a80 bytes, 0xc000 max)\n"
    assert ptx.too_much_shared(report, "k") == 400_000
    assert ptx.too_much_shared(report, "another") is None
    assert (
        ptx.too_much_shared(report + "ptxas fatal   : Ptx assembly aborted due to errors\n", "k") == 400_000
    )


def test_a_quoted_line_stands_for_no_error() -> None:
    """A warning quotes what inline assembly says, line breaks and all."""
    quoted = "ptxas error   : Entry function 'k' uses too much shared data (0x10 bytes, 0xc000 max)\n"
    error = "ptxas kernel.ptx, line 9; error   : Not a name of any known instruction: 'nonsense'\n"
    assert ptx.too_much_shared(quoted + error, "k") is None
    assert ptx.too_much_shared(f"ptxas warning : pragma 'Entry {quoted}{error}", "k") is None


@pytest.mark.parametrize(
    "piece", [".entry a(", ".entry a ", "/* ", '" ', ".global ", ".b8 x[", ".param .align "]
)
def test_any_text_takes_no_time(piece: str) -> None:
    """Not even where a pattern begins again and again and never ends. (With n² steps this takes hours.)"""
    text = "\n" + piece * 100_000
    ptx.kernels(text)
    ptx.essence(text)
    ptx.tensor_instruction(text)
    ptx.texture_instruction(text)
    ptx.global_bytes(text)
    ptx.calls_functions(text)
    ptx.without_long_comments(text)
    ptx.has_directive(text + " \n" * 100_000)


def test_long_comments_become_empty_lines() -> None:
    """Else fatbinary packs fewer lines than ptxas counts: the one tells what ran, the other where."""
    text = 'a; /* b\n# c */ d; // e /*\nf; "/*\n*/" /* g */'
    assert ptx.without_long_comments(text) == 'a;  \n d; // e /*\nf; "/*\n*/" /* g */'


def test_lines_for_a_preprocessor() -> None:
    assert ptx.has_directive('a;\n \t# 3 "b"\n') and ptx.has_directive("/*\n*/ #line 3")
    assert not ptx.has_directive('// #\n/*\n#\n*/ "\n#" a #\n')


@pytest.mark.parametrize("word", ["tex.1d.v4.f32.s32", "sust.b.1d.b32.trap", "suq.width.b32", "tld4.r.2d"])
def test_instructions_that_want_a_texture(word: str) -> None:
    assert ptx.texture_instruction(f"a;\n@%p1 {word} %r1;") == (word, 2)
    assert ptx.texture_instruction(f'// {word}\nmov.u32 %{word};\n.file 1 "{word}" context.tex.x') is None


def test_functions_that_are_called() -> None:
    own = ".func (.param .b32 r) f(.param .b64 p) { ret; }"
    assert ptx.calls_functions(TEXT + own) and ptx.calls_functions(f".visible {own}")
    assert ptx.calls_functions(TEXT + ".func(.param .b32 r) f() { ret; }")  # as inline assembly may have it
    assert not ptx.calls_functions(TEXT + ".extern .func (.param .b32 r) vprintf (.param .b64 a);\n")
    assert not ptx.calls_functions(f"{TEXT}// {own}\n") and not ptx.calls_functions(TEXT)


def test_numbers_without_an_end() -> None:
    digits = "1" * 5000  # Python converts 4,300
    assert ptx.unmangled(f"_Z{digits}") != ""
    assert ptx.global_bytes(f".global .b8 x[{digits}];") > 1 << 60


def test_device_memory_of_variables() -> None:
    text = """
.visible .global .align 1 .b8 huge[1125899906842624];
.global .align 4 .b32 one = 7;
.weak .global .align 8 .u64 table[2][3] = {1, 2};
.const .align 4 .b8 launch_shape[16] = {16};
\tst.global.b32 [%rd1], %r2;
"""
    assert ptx.global_bytes(text) == (1 << 50) + 4 + 48


@pytest.mark.parametrize("size", ["0x10000000", "1 << 28", "0b1", "8U"])
def test_a_size_that_nvcc_does_not_write_is_too_large(size: str) -> None:
    assert ptx.global_bytes(f"{{ .global .align 4 .b32 x[2][{size}], y[7]; }}") > 1 << 60


def test_variables_of_inline_assembly() -> None:
    text = "{ .global .v4 .f32 x[3], y; ld.global.f32 %f1, [%rd1+8]; .extern .global .b8 other[]; }"
    assert ptx.global_bytes(text) == 48 + 16 + 1


def test_comments_and_strings_are_no_kernels() -> None:
    """Inline assembly may bring any text."""
    for hidden in ("// .entry matmul()\n", "/* .entry\n matmul( ) */", '.file 1 ".entry matmul()"\n'):
        assert ptx.kernels(TEXT + hidden) == ptx.kernels(hidden + TEXT) == ptx.kernels(TEXT)


@pytest.mark.parametrize(
    "text",
    [
        "\n\twmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1}, [%rd1];",
        "\n@%p1 mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1};",
        "/* one\n*/{wgmma.fence.sync.aligned;}",
        "\nmma .sync.aligned.m8n8k4",
    ],
)
def test_tensor_cores(text: str) -> None:
    found = ptx.tensor_instruction(text)
    assert found is not None and found[1] == 2


@pytest.mark.parametrize(
    "text", ["// wmma.load", "/* mma.sync */", '"mma.sync"', "fma.rn.f32", "%mma.x", "my_mma.f"]
)
def test_no_tensor_cores(text: str) -> None:
    assert ptx.tensor_instruction(text) is None


@pytest.mark.parametrize(
    "hides", ['.pragma "\\"; {} .pragma "x";', '.pragma "a\nb"; {} .pragma "x";', '"\\\\" {}']
)
def test_a_string_ends_at_the_next_quote(hides: str) -> None:
    """As the assembler reads it: no escapes, and over as many lines as it takes."""
    assert ptx.tensor_instruction(hides.format("mma.sync.aligned.m8n8k4;")) is not None


def test_a_comment_ends_at_a_newline_and_at_nothing_else() -> None:
    assert ptx.tensor_instruction("// a\r mma.sync;") is None
    assert ptx.essence("// a\r add;\n") == "" and ptx.essence("a // b\n c") == "a\nc"


def test_the_essence_is_what_an_assembler_sees() -> None:
    packed = b"\1\2.version 9.0\n.target sm_75\nadd.f32 %f1,%f1, a;\n\0elf"
    text = ".version 9.0\n.target sm_75 // x\n\tadd.f32 \t%f1 , %f1,/* b */a ;\n"
    assert ptx.essence(text) == ptx.essence(ptx.packed(packed))


@pytest.mark.parametrize(
    ("assembled", "packed"),
    [
        ("ad/**/d.f32 a;", "add.f32 a;"),
        ('.file 1 "// a";', '.file 1 "'),
        ("// a\radd;", "\radd;"),
        ("a; /*\n*/\nb;", "a;\nb;"),
    ],
)
def test_what_is_read_in_two_ways_differs(assembled: str, packed: str) -> None:
    assert ptx.essence(assembled) != ptx.essence(packed)
