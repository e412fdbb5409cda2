#include "ptx/module.hpp"

#include <doctest/doctest.h>

#include "ptx/parser.hpp"

using namespace warpgrade::ptx;

TEST_CASE("module: names and sizes of types go both ways") {
  for (const char* name : {"pred", "b8", "b16", "b32", "b64", "b128", "u8", "s16", "u32", "s64", "f16",
                           "f16x2", "bf16", "bf16x2", "tf32", "e4m3", "e5m2", "f32", "f64"}) {
    CAPTURE(name);
    CHECK(type_name(type_from_name(name)) == name);
    CHECK(size_in_bytes(type_from_name(name)) > 0);
  }
  CHECK(type_from_name("s128") == Type::none);
  CHECK(type_name(Type::none) == "none");
  CHECK(size_in_bytes(Type::none) == 0);
  CHECK(size_in_bytes(Type::b128) == 16);
  CHECK(size_in_bytes(Type::f16x2) == 4);
}

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
