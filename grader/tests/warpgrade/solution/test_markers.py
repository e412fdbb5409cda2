import pytest

from warpgrade.core.errors import InstructorError
from warpgrade.solution import markers
from warpgrade.solution.markers import View

MARKED = """\
int before;
//> load-phase
  // every thread helps
  //> solution
  tile[ty][tx] = A[row * k + tx];
  //< solution
  /*> stub
  // TODO(1): load the tile
  <*/
//< load-phase

//> solution
answer();
//< solution

int after;
"""


def test_student_sees_the_stub_and_staff_the_solution() -> None:
    student = markers.cut(MARKED, "k.cu", View.STUDENT)
    staff = markers.cut(MARKED, "k.cu", View.STAFF)
    assert student == "int before;\n  // every thread helps\n  // TODO(1): load the tile\n\nint after;\n"
    assert staff == (
        "int before;\n  // every thread helps\n  tile[ty][tx] = A[row * k + tx];\n\nanswer();\n\nint after;\n"
    )


def test_no_view_holds_a_marker() -> None:
    for view in View:
        text = markers.cut(MARKED, "k.cu", view)
        assert not any(mark in text for mark in ("//>", "//<", "/*>", "<*/"))


def test_excerpt_is_moved_left_and_follows_the_view() -> None:
    assert (
        markers.excerpt(MARKED, "k.cu", "load-phase") == "// every thread helps\n// TODO(1): load the tile\n"
    )
    assert "tile[ty][tx]" in markers.excerpt(MARKED, "k.cu", "load-phase", View.STAFF)


def test_line_numbers_are_those_of_the_marked_file() -> None:
    numbers = {line.text.strip(): line.number for line in markers.parse(MARKED, "k.cu")}
    assert numbers["int before;"] == 1
    assert numbers["answer();"] == 13


def test_a_mask_keeps_the_lines_of_the_staffs_view() -> None:
    staff = markers.cut(MARKED, "k.cu", View.STAFF).splitlines()
    masked = markers.masked(MARKED, "k.cu").splitlines()
    secret = {2, 4}
    assert masked == ["…".rjust(1 + len(line) - len(line.lstrip())) if at in secret else line
                      for at, line in enumerate(staff)]  # fmt: skip


def test_solution_lines_are_the_secret_ones_only() -> None:
    assert markers.solution_lines(MARKED, "k.cu") == ("tile[ty][tx] = A[row * k + tx];", "answer();")


def test_windows_line_ends_make_no_difference() -> None:
    windows = MARKED.replace("\n", "\r\n")
    assert markers.cut(windows, "k.cu", View.STUDENT) == markers.cut(MARKED, "k.cu", View.STUDENT)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("//> solution\nx\n", 1, "never closed"),
        ("a\n/*> stub\nx\n", 2, "never closed"),
        ("a\n//< solution\n", 2, "closes nothing"),
        ("<*/\n", 1, "closes nothing"),
        ("//> solution\n//> solution\n//< solution\n//< solution\n", 2, "stands inside"),
        ("//> solution\n/*> stub\n<*/\n//< solution\n", 2, "stands inside"),
        ("/*> stub\n//> solution\n//< solution\n<*/\n", 2, "stands inside"),
        ("/*> stub\n//> part\n//< part\n<*/\n", 2, "stands inside"),
        ("//> one\n//> two\n//< two\n//< one\n", 2, "stands inside"),
        ("//> one\n//> solution\n//< one\n//< solution\n", 3, "is open"),
        ("//> one\n//< one\n//> one\n//< one\n", 3, "second time"),
        ("x\n//> Load Phase\n", 2, "looks like a marker"),
        ("/*> stubb\n<*/\n", 1, "looks like a marker"),
        ("//> stub\n//< stub\n", 1, "comment that holds it"),
        ("/*> stub\n/* hm */\n<*/\n", 2, "comment ends inside"),
    ],
)
def test_a_wrong_marker_names_file_line_and_remedy(text: str, line: int, says: str) -> None:
    with pytest.raises(InstructorError, match=says) as caught:
        markers.parse(text, "solutions/02-tiled/kernel.cu")
    message = str(caught.value)
    assert f"solutions/02-tiled/kernel.cu:{line}" in message
    assert caught.value.remedy


def test_an_unknown_excerpt_lists_the_known_ones() -> None:
    with pytest.raises(InstructorError, match="no excerpt 'laod-phase'") as caught:
        markers.excerpt(MARKED, "k.cu", "laod-phase")
    assert "load-phase" in caught.value.remedy


def test_an_excerpt_inside_a_solution_is_for_staff_only() -> None:
    text = "//> solution\n//> core\nanswer();\n//< core\n//< solution\n"
    assert markers.excerpt(text, "k.cu", "core", View.STAFF) == "answer();\n"
    with pytest.raises(InstructorError, match="all solution"):
        markers.excerpt(text, "k.cu", "core")


def test_a_comment_that_only_mentions_an_arrow_is_no_marker() -> None:
    text = "// a //> b\nint x;  //< trailing doc comment\n"
    assert markers.cut(text, "k.cu", View.STUDENT) == text
