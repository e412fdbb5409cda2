#include "ptx/tree/module.hpp"

#include <doctest/doctest.h>

#include "ptx/parser/parser.hpp"

using namespace warpgrade::ptx;

TEST_CASE("module: find_function sees aliases") {
  const Module module = parse(
      ".version 9.0 .target sm_75 .func f() { ret; } .func g(); .alias g, f; .entry k() { call g; ret; }");
  REQUIRE(module.find_function("g") != nullptr);
  CHECK(module.find_function("g") == module.find_function("f"));
  CHECK(module.find_function("k")->instructions[0].operands[0].symbol == "f");
  CHECK(module.find_function("h") == nullptr);
  CHECK(module.functions.size() == 2);
}

TEST_CASE("module: an instruction's form is its opcode with all modifiers") {
  const Module module = parse(".version 9.0 .target sm_75 .entry k() { bar.sync 0; membar .gl; ret; }");
  CHECK(module.functions[0].instructions[0].form() == "bar.sync");
  CHECK(module.functions[0].instructions[1].form() == "membar.gl");
  CHECK(module.functions[0].instructions[2].form() == "ret");
}

TEST_CASE("module: an instruction's modifiers, also those that are not in the tables") {
  Instruction instruction;
  instruction.set_form("ld.relaxed.frob::nicate.shared::cta.v2.f32");
  CHECK(instruction.opcode == Opcode::ld);
  REQUIRE(instruction.modifiers.size() == 5);
  CHECK(instruction.modifiers[1] == Modifier::unknown);
  CHECK(instruction.modifier_text(1) == "frob::nicate");
  CHECK(instruction.modifier_text(4) == "f32");
  CHECK(instruction.has(Modifier::v2));
  CHECK_FALSE(instruction.has(Modifier::v4));
  CHECK(instruction.has_any({Modifier::v4, Modifier::f32}));
  CHECK(instruction.type() == Type::f32);
  CHECK(instruction.space() == Space::shared);
  CHECK(instruction.is_strong());
  instruction.set_form("frobnicate");
  CHECK(instruction.opcode == Opcode::unknown);
  CHECK(instruction.form() == "frobnicate");
  CHECK(instruction.modifiers.empty());
  CHECK(instruction.type() == Type::none);
  CHECK(instruction.space() == Space::generic);
  CHECK_FALSE(instruction.is_strong());
}
