"""Terms of PTX: names, order and offsets do not matter; what is computed does."""

from __future__ import annotations

import time

from warpgrade.similarity import dataflow

PTX = """\
.visible .entry k(.param .u64 k_param_0)
{
.loc 1 7 3
mov.u32 %r1, %tid.x;
mul.lo.s32 %r2, %r1, 12;
.loc 1 8 3
add.s32 %r3, %r2, %r1;
ld.shared.f32 %f1, [%r3+64];
st.shared.f32 [%r2], %f1;
ret;
}
"""


def test_lines_and_terms() -> None:
    found = dataflow.terms(PTX)
    assert set.union(*found.values()) == {7, 8} and len(found) == 4


def test_registers_offsets_and_numbers_do_not_matter() -> None:
    other = PTX.replace("%r", "%q").replace("+64", "+128").replace("12", "20")
    assert dataflow.terms(other).keys() == dataflow.terms(PTX).keys()


def test_operands_that_commute() -> None:
    assert dataflow.terms(PTX.replace("%r2, %r1;", "%r1, %r2;")).keys() == dataflow.terms(PTX).keys()


def test_another_computation_has_other_terms() -> None:
    other = dataflow.terms(PTX.replace("mul.lo", "mul.hi")).keys()
    assert len(other & dataflow.terms(PTX).keys()) < len(other)


def test_repeated_instructions_are_one_term() -> None:
    again = PTX.replace("ret;", "ld.shared.f32 %f2, [%r3+128];\nst.shared.f32 [%r2+4], %f2;\nret;")
    assert dataflow.terms(again).keys() == dataflow.terms(PTX).keys()


def test_hostile_text_is_bounded() -> None:
    deep = "add.s32 %r1, %r1, %r1;\n" * 100_000
    wide = "mov.b64 {" + ", ".join(["%r1"] * 100_000) + "}, %rd1;\n"
    begun = time.process_time()
    for text in (deep, wide, "x" * 1_000_000, "(" * 100_000 + ";", "@" * 1_000 + ";\n"):
        dataflow.terms(text)
    assert time.process_time() - begun < 20
