"""The compiler's messages on the student's lines."""

from __future__ import annotations

from warpgrade.build.diagnostics import LONGEST_LINE, MOST, of_assembler, of_compiler
from warpgrade.build.ptx import SourceLocations
from warpgrade.records import Diagnostic

SOURCES = {"kernel.cu": 'first\nint y = x;\n#include "no.h"\n'}
HEADERS = frozenset({"launch_shape.cuh"})


def test_front_end_and_preprocessor() -> None:
    output = (
        'kernel.cu(1): warning #177-D: variable "z" was declared but never referenced\n'
        "\nRemark: The warnings can be suppressed\n"
        'kernel.cu(2): error: identifier "x" is undefined\n'
        "kernel.cu:3:10: fatal error: no.h: No such file or directory\n"
        '1 error detected in the compilation of "kernel.cu".\n'
    )
    found = of_compiler(output, SOURCES, HEADERS)
    assert found == (
        Diagnostic("error", 'identifier "x" is undefined', "kernel.cu", 2, "int y = x;", ("x",)),
        Diagnostic("error", "no.h: No such file or directory", "kernel.cu", 3, '#include "no.h"'),
        Diagnostic(
            "warning", 'variable "z" was declared but never referenced', "kernel.cu", 1, "first", ("z",)
        ),
    )


def test_a_variable_of_the_skeleton_may_wait_for_its_use() -> None:
    text = "constexpr int SIDE = 8;\nint own = 3;"
    output = "".join(
        f'kernel.cu({line}): warning #{number}-D: variable "{name}" was declared but never referenced\n'
        for line, number, name in ((1, 177, "SIDE"), (2, 177, "own"), (1, 186, "other"))
    )
    given = frozenset(["constexpr int SIDE = 8;"])
    messages = of_compiler(output, {"kernel.cu": text}, frozenset(), given)
    assert [(each.line, each.text.split('"')[1]) for each in messages] == [(2, "own"), (1, "other")]


def test_longer_explanations_are_joined() -> None:
    output = 'kernel.cu(2): error: no instance of "f"\n            argument types are: (int)\n'
    assert of_compiler(output, SOURCES, HEADERS)[0].text == 'no instance of "f" argument types are: (int)'


def test_a_missing_brace_is_an_error_at_what_it_should_close() -> None:
    output = (
        'At end of source: error: expected a "}"\n/box/kernel.cu(2): note #3196-D: belongs to this "{"\n'
        '  int y = x;\n         ^\n\n1 error detected in the compilation of "kernel.cu".\n'
    )
    text = 'at the end of the file: expected a "}" belongs to this "{"'
    expected = Diagnostic("error", text, "kernel.cu", 2, "int y = x;", ("}", "{"))
    assert of_compiler(output, SOURCES, HEADERS) == (expected,)
    alone = of_compiler(output.split("\n")[0], SOURCES, HEADERS)
    assert [(each.severity, each.line) for each in alone] == [("error", None)]


def test_folders_of_the_box_are_not_shown() -> None:
    found = of_compiler(
        "/box/kernel.cu(2): error: a\n/course/common/launch_shape.cuh(3): error: b\n", SOURCES, HEADERS
    )
    assert [(message.file, message.line) for message in found] == [("kernel.cu", 2), ("launch_shape.cuh", 3)]


def test_a_line_directive_cannot_name_another_file() -> None:
    found = of_compiler("/etc/passwd(1): error: a\nbob.cu(7): error: b\n", SOURCES, HEADERS)
    assert [(message.file, message.line) for message in found] == [("", None), ("", None)]


def test_escape_codes_do_not_reach_a_terminal() -> None:
    found = of_compiler("kernel.cu(1): error: \x1b[31mred\x07\n", SOURCES, HEADERS)
    assert found[0].text == "[31mred"


def test_out_of_memory() -> None:
    for output in ("LLVM ERROR: out of memory\nAborted\n", "\ncc1plus: out of memory allocating 42 bytes\n"):
        assert "ran out of memory" in of_compiler(output, SOURCES, HEADERS)[0].text


def test_a_flood_is_cut() -> None:
    assert len(of_compiler("kernel.cu(1): error: a\n" * 1000, SOURCES, HEADERS)) == MOST


def test_the_assembler_calls_a_syntax_error_fatal() -> None:
    report = "ptxas kernel.ptx, line 3; fatal   : Parsing error near ';': syntax error\n"
    found = of_assembler(report, SourceLocations({"1": "/box/kernel.cu"}, ((2, 1, 2),)), SOURCES)
    assert found == (
        Diagnostic("error", "Parsing error near ';': syntax error", "kernel.cu", 2, "int y = x;"),
    )


def test_assembler_messages_go_back_through_the_loc_lines() -> None:
    report = (
        "ptxas kernel.ptx, line 5; error   : Not a name of any known instruction: 'bogus'\n"
        "ptxas fatal   : This ends it\n"
    )
    locations = SourceLocations({"1": "/box/kernel.cu"}, ((4, 1, 2),))
    unknown = Diagnostic(
        "error", "Not a name of any known instruction: 'bogus'", "kernel.cu", 2, "int y = x;"
    )
    assert of_assembler(report, locations, SOURCES) == (unknown,)


def test_a_fatal_message_of_the_assembler_is_shown_where_no_error_led_to_it() -> None:
    report = "ptxas warning : Unused\nptxas fatal   : Unresolved extern function 'f'\n"
    found = of_assembler(report, SourceLocations({}, ()), SOURCES)
    assert [(each.severity, each.text) for each in found] == [
        ("warning", "Unused"),
        ("error", "Unresolved extern function 'f'"),
    ]


def test_of_a_line_of_a_megabyte_its_beginning_is_quoted() -> None:
    output = 'kernel.cu(1): error: identifier "x" is undefined\n' * MOST
    found = of_compiler(output, {"kernel.cu": "x" * (1 << 20)}, HEADERS)
    assert [message.source for message in found] == ["x" * LONGEST_LINE] * MOST


def test_a_line_of_five_thousand_digits_is_none() -> None:
    """#line can put it there, and Python converts 4,300."""
    number = "1" * 5000
    output = (
        f"kernel.cu({number}): error: one\nkernel.cu:{number}:1: error: two\nkernel.cu(1): error: three\n"
    )
    assert [each.text for each in of_compiler(output, SOURCES, frozenset())] == ["three"]


def test_an_error_of_the_back_end_names_nobody() -> None:
    output = "error: Circular dependency found in global variable set\n"
    assert [each.text for each in of_compiler(output, SOURCES, frozenset())] == [
        "Circular dependency found in global variable set"
    ]


def test_a_warning_of_code_for_host_and_device_is_one() -> None:
    assert len(of_compiler("kernel.cu(1): warning: a\n" * 2, SOURCES, HEADERS)) == 1
