#include "isa/form.hpp"

#include <doctest/doctest.h>

using warpgrade::isa::key_of;

TEST_CASE("key_of: modifiers sorted, types in their order behind them") {
  CHECK(key_of("add.s32") == "add.s32");
  CHECK(key_of("add.rn.ftz.sat.f32") == "add.ftz.rn.sat.f32");
  CHECK(key_of("add.f32.sat.rn.ftz") == key_of("add.rn.ftz.sat.f32"));
  CHECK(key_of("cvt.rn.bf16x2.f32") == "cvt.rn.bf16x2.f32");
  CHECK(key_of("cvt.f32.u8") != key_of("cvt.u8.f32"));
  CHECK(key_of("cvt.rn.f16x2.e4m3x2") != key_of("cvt.rn.e4m3x2.f16x2"));
}

TEST_CASE("key_of: prmt's modes look like types and are none") {
  CHECK(key_of("prmt.b32.f4e") == "prmt.f4e.b32");
  CHECK(key_of("prmt.b32.b4e") == "prmt.b4e.b32");
}

TEST_CASE("key_of: opcodes alone, and patterns") {
  CHECK(key_of("ret") == "ret");
  CHECK(key_of("") == "");
  CHECK(key_of("mov.b64 r, {a, b}") == "mov.b64 r, {a, b}");
}
