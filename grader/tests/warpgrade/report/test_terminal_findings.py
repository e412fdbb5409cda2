"""Messages with their source lines: the file as the student knows it, cut to the screen."""

from __future__ import annotations

from dataclasses import replace

from support import sample_results
from support.pages.console import shown
from warpgrade.records import Diagnostic, Finding, Place, Standing
from warpgrade.report import terminal_findings


def test_an_error_hides_the_warnings_that_follow_from_it() -> None:
    result = sample_results.failed_build_student().results[0]
    assert result.build is not None
    semicolon = Diagnostic("error", 'expected a ";"', "kernel.cu", 12, "float sum = 0.0f", (";",))
    warning = Diagnostic("warning", 'variable "sum" was declared but never referenced', "kernel.cu", 3, "x")
    both = sample_results.with_records(result, build=replace(result.build, diagnostics=(warning, semicolon)))
    text = shown(*terminal_findings.diagnostic_lines(both, 80))
    assert 'error: expected a ";"' in text and "never referenced" not in text
    assert "the end of the line before" in text
    alone = sample_results.with_records(result, build=replace(result.build, diagnostics=(warning,)))
    assert "never referenced" in shown(*terminal_findings.diagnostic_lines(alone, 80))
    noted = replace(result.build, diagnostics=(semicolon, Diagnostic("note", "newer GPUs"), warning))
    text = shown(*terminal_findings.diagnostic_lines(sample_results.with_records(result, build=noted), 80))
    assert "note: newer GPUs" in text and "never referenced" not in text


def test_where_an_end_is_missing_the_line_before_is_named_whatever_the_words() -> None:
    result = sample_results.failed_build_student().results[0]
    assert result.build is not None

    def helped(*quoted: str, severity: str = "error", line: int | None = 12) -> bool:
        diagnostic = Diagnostic(severity, "no", "kernel.cu", line, "float sum = 0.0f", quoted)
        build = replace(result.build, diagnostics=(diagnostic,)) if result.build else None
        found = shown(
            *terminal_findings.diagnostic_lines(sample_results.with_records(result, build=build), 80)
        )
        return "the end of the line before" in found

    assert helped(";") and helped(")")
    assert not helped() and not helped("a") and not helped("}", "{")
    assert not helped(";", line=None) and not helped(";", severity="warning")


def test_where_a_long_line_was_left_it_is_cut_with_a_sign() -> None:
    standing = Standing(0, "0xff", "kernel.cu", 9, "while (i < k) { " + "s += A[i]; " * 9, "can run")
    found = replace(sample_results.out_of_bounds("16x16x16-integers"), standing=(standing,))
    text = shown(*terminal_findings.finding_lines([found], 80))
    assert "warp 0, line 9, at work: while (i < k)" in text and "…\n" in text and "can run" not in text


def test_a_call_is_named_by_the_file_that_the_student_typed() -> None:
    found = sample_results.out_of_bounds("16x16x16-integers")
    inlined = replace(found, place=replace(found.place, inlined_at="kernel.cu:28"))
    text = shown(*terminal_findings.finding_lines([inlined], 80, lambda name: f"mine/{name}"))
    assert "(inlined at mine/kernel.cu:28)" in text
    assert found.memory
    made = replace(
        found, message="Freed, made at kernel.cu:7.", memory=replace(found.memory, made_at="kernel.cu:7")
    )
    text = shown(*terminal_findings.finding_lines([made], 80, lambda name: f"mine/{name}"))
    assert text.count("made at mine/kernel.cu:7") == 2 and "at kernel.cu" not in text


def test_the_same_help_for_many_lines_is_given_once() -> None:
    found = replace(sample_results.out_of_bounds("16x16x16-integers"), help="Compare the index with n.")
    lines = [replace(found, place=replace(found.place, line=line)) for line in range(5, 10)]
    text = shown(*terminal_findings.findings_by_line(lines, 80))
    assert text.count("error[WG101]") == 5 and text.count("help: Compare the index") == 1


def test_a_quotient_of_integers_is_rounded_before_it_is_seen() -> None:
    def helped(source: str, quoted: str) -> bool:
        message = Diagnostic("error", "no", "kernel.cu", 12, source, (quoted, "kernel"))
        return "has lost its fraction" in shown(*terminal_findings.message_lines([message], 200))

    assert helped("for (int p = 0; p < ceil(k / TILE); ++p) {", "ceil")
    assert not helped("for (int p = 0; p < ceil(k / TILE); ++p) {", "TILE") and not helped(
        "x = ceil(y);", "ceil"
    )


def test_two_brackets_behind_a_pointer_to_elements() -> None:
    def helped(source: str, *quoted: str) -> bool:
        message = Diagnostic("error", "no", "kernel.cu", 12, source, quoted)
        return "is at i * width + l" in shown(*terminal_findings.message_lines([message], 200))

    assert helped("sum += A[i][l] * B[l][j];", "float")
    assert (
        not helped("sum += A[i][l];", "l")
        and not helped("sum += A[i][l];")
        and not helped("s += A[i];", "float")
    )


def test_an_asynchronous_copy_is_a_verb() -> None:
    place = Place("kernel.cu", 2, source="copy(to);", thread=(0, 0, 0), block=(0, 0, 0), access="read")
    other = replace(place, line=3, thread=(1, 0, 0), access="copy")
    found = Finding("c", "race", "race-read-write", "WG112", "error", "m", place, other=other)
    assert "thread (1,0,0) of block (0,0,0) copies" in "\n".join(terminal_findings.finding_lines([found], 80))
