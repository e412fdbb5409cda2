#include "isa/form.hpp"

#include <doctest/doctest.h>

using namespace warpgrade;

namespace {

// The text of a key: opcode and modifiers by name. A pattern begins with a character that is no modifier's
// number.
std::string spelled(const char* form) {
  const isa::Key key = isa::key_of(form);
  std::string text(ptx::name_of(static_cast<ptx::Opcode>(key.at(0))));
  for (const char16_t each : key.substr(1))
    text.append(".").append(ptx::name_of(static_cast<ptx::Modifier>(each)));
  return text;
}
bool same(const char* one, const char* other) { return isa::key_of(one) == isa::key_of(other); }

}  // namespace

TEST_CASE("key_of: modifiers in one order, types in theirs behind them") {
  CHECK(spelled("add.s32") == "add.s32");
  CHECK(spelled("add.f32.sat.rn.ftz") == "add.rn.ftz.sat.f32");
  CHECK(same("add.f32.sat.rn.ftz", "add.rn.ftz.sat.f32"));
  CHECK(spelled("cvt.rn.bf16x2.f32") == "cvt.rn.bf16x2.f32");
  CHECK_FALSE(same("cvt.f32.u8", "cvt.u8.f32"));
  CHECK_FALSE(same("cvt.rn.f16x2.e4m3x2", "cvt.rn.e4m3x2.f16x2"));
}

TEST_CASE("key_of: prmt's modes look like types and are none") {
  CHECK(spelled("prmt.b32.f4e") == "prmt.f4e.b32");
  CHECK(spelled("prmt.b32.b4e") == "prmt.b4e.b32");
}

TEST_CASE("key_of: opcodes alone, and patterns") {
  CHECK(spelled("ret") == "ret");
  CHECK(spelled("") == "");
  CHECK(same("mov.b64 r, {a, b}", "mov.b64 r, {a, b}"));
  CHECK_FALSE(same("mov.b64 r, {a, b}", "mov.b64"));
  CHECK_FALSE(same("mov.b64 r, {a, b}", "mov.b64 {a, b}, r"));
}
