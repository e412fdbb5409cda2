"""The slice of the headers keeps what a file's words lead to, and everything if words cannot decide."""

from __future__ import annotations

import time

import pytest

from warpgrade.build.headers.cut import Prelude, leading_headers
from warpgrade.build.headers.declarations import declarations

PRELUDE = Prelude(
    "compile",
    {"__global__": " __attribute__((global))", "LIMIT": " twice(LOW)", "LOW": " 1"},
    tuple(
        declarations("""\
typedef unsigned long size_t;
struct uint3 { unsigned x, y, z; };
extern const uint3 threadIdx;
int twice(int n);
int twice(long n) { return helper(n); }
int helper(long n);
float fmaf(float a, float b, float c);
int counted(std::count n);
namespace std {
typedef unsigned count;
template <class T> struct exact { typedef T type; };
template <class T> exact<double>::type half_of(T a) { return a * 0.5; }
float half_of(float a) { return twice(a); }
int data(int size);
}
double half_of(double a);
using std::half_of;
int with_odd_names(int data, int size) { return half_of(1.0); }
""")
    ),
    ("lost",),
    ("std",),
)
KERNEL = 'extern "C" __global__ void k(float* C) { C[threadIdx.x] = 1.0f; }\n'


def cut(text: str, **headers: str) -> str | None:
    return PRELUDE.cut(text, {f"{name}.cuh": text for name, text in headers.items()})


def test_what_words_lead_to() -> None:
    assert cut(KERNEL) == (
        "\nstruct uint3 { unsigned x, y, z; };\n"
        "\nextern const uint3 threadIdx;\n"
        "#define __global__ __attribute__((global))\n"
    )


def test_every_overload_and_what_its_body_calls() -> None:
    found = cut("int a = twice(1);\n") or ""
    assert "twice(int" in found and "twice(long" in found and "helper" in found and "fmaf" not in found


def test_a_using_declaration_brings_all_overloads() -> None:
    found = cut("float a = half_of(1.0f);\n") or ""
    assert "double half_of(double" in found and "struct exact" in found and "int twice(long" in found
    assert "namespace std {\n\nfloat half_of(float a)" in found
    assert found.index("half_of(float") < found.index("using std::half_of;") and "data(int" not in found


def test_what_no_file_leads_to_is_left_out() -> None:
    kept = PRELUDE.without_unreached()
    assert len(PRELUDE.declarations) - len(kept.declarations) == 1 and "data" not in kept.in_namespaces
    assert kept.cut("float a = half_of(1.0f) + twice(1);\n", {}) == cut(
        "float a = half_of(1.0f) + twice(1);\n"
    )


def test_words_of_headers_reach_no_namespace() -> None:
    found = cut("int a = with_odd_names(1, 2);\n") or ""
    assert "double half_of(double" in found and "std" not in found


def test_macros_lead_further() -> None:
    found = cut("int a = LIMIT;\n") or ""
    assert "#define LIMIT twice(LOW)\n#define LOW 1\n" in found and "helper" in found


def test_headers_of_the_lab_count() -> None:
    assert "twice" in (cut('#include "shape.cuh"\n', shape="int a = twice(1);\n") or "")


def test_a_header_counts_whatever_stands_around_its_name() -> None:
    texts = {"lengths.h": "#define LENGTH twice(1)\n"}
    for including in ("<lengths.h>", '"lengths.h"'):
        assert "twice" in (PRELUDE.cut(f"#include {including}\nint a = LENGTH;\n", texts) or "")
    assert PRELUDE.cut("#include <widths.h>\nint a = 1;\n", texts) is None


def test_headers_that_the_file_includes_through_another_one_count() -> None:
    first, second = '#include "second.cuh"\n', '#include "first.cuh"\nint a = twice(1);\n'
    assert "twice" in (cut('#include "first.cuh"\n', first=first, second=second) or "")
    assert cut('#include "first.cuh"\n', first=first, second="#include <fstream>\n") is None


def test_headers_that_the_file_does_not_include_do_not_count() -> None:
    assert cut(KERNEL, other="#include <fstream>\nint a = twice(1);\n") == cut(KERNEL)


@pytest.mark.parametrize(
    "text",
    [
        "// a comment, \N{GREEK SMALL LETTER ALPHA}, don't\n",
        "/* over\n#include <two>\nlines */ int a;\n",
        "#define SIZE 8\n#if SIZE > 4 // a comment\n#pragma unroll 4\n#endif\n",
        "const char* a = \"#include <cstdio>\";\nint b = 1'000, c = '\"';\n",
        "int threadI\\\ndx_of_mine;\n",
        "auto three = 0x1.8p+1f;\n",
    ],
)
def test_plain(text: str) -> None:
    assert cut(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "#include <cstdio>\n",
        '#include "other.cuh"\n',
        "#include SHAPE\n",
        "#  include <cstdio>\n",
        "#inc\\\nlude <cstdio>\n",
        "%:include <cstdio>\n",
        "/* */ #include <cstdio>\n",
        "#define PASTE(a, b) a##b\n",
        "#line 3\n",
        "#pragma GCC poison twice\n",
        '_Pragma("once")\n',
        "#if __has_include(<cstdio>)\n#endif\n",
        "int a = lost(-1);\n",
        "int a = lo\\\nst(-1);\n",
        "int a = std::min(1, 2);\n",
        "int* a = new int;\n",
        "int a = __COUNTER__;\n",
        "void f() { g<<<1, 1>>>(); }\n",
        'auto a = R"(text)";\n',
        "int \\u0061;\n",
        "int \N{GREEK SMALL LETTER ALPHA};\n",
        "int a = '\n",
        "int $a;\n",
    ],
)
def test_not_plain(text: str) -> None:
    assert cut(text) is None


def test_a_declaration_that_names_a_namespace_brings_what_it_names_there() -> None:
    found = cut("int a = counted(1);\n") or ""
    assert "typedef unsigned count;" in found and "counted(std::count n)" in found and "exact" not in found


OWN = Prelude(
    "compile",
    {"__global__": " __attribute__((global))", "_TOOLS_H": "", "TOOL": " own::flat"},
    tuple(
        declarations("""\
struct half { short x; };
half operator+(half a, half b) { return sum(a, b); }
half sum(half a, half b);
int apart(int n);
namespace own {
int flat(int n) { return apart(n); }
namespace inner { int deep(int n); }
}
""")
    ),
    ("lost",),
    ("std", "own", "inner"),
    ("tools.h",),
    ("_TOOLS_H",),
    ("own", "inner"),
)


def test_a_namespace_of_the_headers_is_kept_whole_where_it_is_named() -> None:
    found = OWN.cut("#include <tools.h>\nusing namespace own;\nint a = 1;\n", {"tools.h": ""}) or ""
    assert "flat" in found and "deep" in found and "apart" in found and "#define _TOOLS_H\n" in found
    without = OWN.cut("#include <tools.h>\nint a = 1;\n", {"tools.h": ""}) or ""
    assert "flat" not in without and "#define _TOOLS_H\n" in without
    assert "flat" in (OWN.cut("int a = TOOL(1);\n", {}) or "")


def test_operators_are_kept_as_nothing_names_them() -> None:
    found = OWN.cut("int a = 1;\n", {}) or ""
    assert "operator+" in found and "half sum" in found and "struct half" in found


@pytest.mark.parametrize(
    ("text", "headers"),
    [
        ("#include <a.h>\n#include <b.h>\nint n;\n", ("a.h", "b.h")),
        ("// one\n/* two\n */\n\n#  include <a.h>  // why\n", ("a.h",)),
        ('#include <a.h>\n#include "own.cuh"\n#include <b.h>\n', ("a.h",)),
        ("#define A\n#include <a.h>\n", ()),
        ("int n;\n#include <a.h>\n", ()),
        ("// joined \\\n#include <a.h>\n", ()),
        ("/* #include <a.h>\n", ()),
        ("#include <a.h> int\n", ()),
        ("#include <sys/a.h>\n", ()),
        ("", ()),
    ],
)
def test_headers_with_which_a_file_begins(text: str, headers: tuple[str, ...]) -> None:
    assert leading_headers(text) == headers


@pytest.mark.parametrize(
    "piece",
    [
        "/* ",
        "/**/ ",
        "// a\n",
        "#include <a.h>\n",
        "#define A /*",
        "\\ ",
        "'",
        '"',
        "#",
        "a",
        "%",
        "1'",
        "//\\\n",
    ],
)
def test_hostile_text_takes_time_in_proportion(piece: str) -> None:
    begun = time.process_time()
    cut(piece * (300_000 // len(piece)))
    cut(f"{piece}\n" * (300_000 // len(piece)))
    leading_headers(piece * (300_000 // len(piece)))
    leading_headers("#include <a.h>\n" + f"{piece}\n" * (300_000 // len(piece)))
    assert time.process_time() - begun < 10
