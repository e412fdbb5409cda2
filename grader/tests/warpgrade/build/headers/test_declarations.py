"""Preprocessed headers are taken apart: where each declaration stands, what it names, what it is made of."""

from __future__ import annotations

import pytest

from warpgrade.build.headers.declarations import declarations

HEADER = """\
# 0 "empty.cu"
# 1 "/include/shapes.h" 1 3
# 7 "/include/shapes.h" 3
struct __attribute__((aligned(16))) float4 { float x, y, z, w; };
typedef struct float4 float4;

extern "C" {
float fmaf(float a, float b, float c);
extern __attribute__((device)) const uint3 threadIdx;
}
typedef int (*compare_t)(const void*, const void*);
void (*handler(int number))(int);
# 40 "/include/other.h" 1
template <typename T, int N = 3> struct Pair { T first; };
enum Level { LOW = 1, HIGH };
static inline int twice(int n) { return n + n; }
int table[3] = {1, 2, 3};
void* operator new(size_t) noexcept;
namespace std { int hidden; }
using std::abs;
"""


def test_each_stands_where_it_stood() -> None:
    found = list(declarations(HEADER))
    assert found[0].place == '# 7 "/include/shapes.h" 3'
    assert found[2].place == '# 11 "/include/shapes.h" 3'
    assert next(each for each in found if "twice" in each.names).place == '# 42 "/include/other.h"'


def test_names() -> None:
    assert [each.names for each in declarations(HEADER)] == [
        ("float4",), ("float4", "float4"), ("fmaf",), ("threadIdx",), ("compare_t",), ("handler",), ("Pair",),
        ("Level", "LOW", "HIGH"), ("twice",), ("table",), ("operator new",), ("hidden",), ("abs",),
    ]  # fmt: skip


def test_blocks_have_a_linkage() -> None:
    text = 'int a; extern "C" { int b; extern "C++" { int c; } int d; } int e;'
    c, cpp = 'extern "C" {', 'extern "C++" {'
    assert [each.around for each in declarations(text)] == [(), (c,), (c, cpp), (c,), ()]


def test_namespaces_are_opened() -> None:
    text = """\
namespace std __attribute__((__visibility__("default"))) {
inline namespace v1 { template <class T> struct is_array<T[3]> : base<sizeof(T)> {}; }
using ::abs;
using namespace v1;
constexpr float abs(float a) { return a; }
}
using std::abs;
"""
    found = list(declarations(text))
    assert [each.names for each in found] == [("is_array",), ("abs",), (), ("abs",), ("abs",)]
    assert found[0].text.endswith("{};") and found[0].namespaces == {"std", "v1"}
    assert [each.is_in_namespace for each in found] == [True] * 4 + [False]
    assert [each.is_using for each in found] == [False, True, True, False, True]
    assert found[3].around[0].startswith("namespace std __attribute__")


def test_words_are_what_it_is_made_of() -> None:
    thread = next(each for each in declarations(HEADER) if "threadIdx" in each.names)
    assert thread.words == ("extern", "const", "uint3", "threadIdx"), (
        "no attribute, which is looked up nowhere"
    )


def test_marks_inside_open_and_close_no_file() -> None:
    text = 'int f(\n# 3 "a.h" 2 3\nint n);\n'
    assert next(declarations(text)).text == 'int f(\n# 3 "a.h" 3\nint n);'


@pytest.mark.parametrize(
    "text",
    [
        "int f(;",
        "}",
        "int a",
        "inline namespace v1 { int a; }",
        "using namespace std;",
        "namespace std { int a; ",
    ],
)
def test_what_cannot_be_taken_apart_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        list(declarations(text))
