#include "ptx/parser/initialiser.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ptx/parser/parser.hpp"
#include "ptx/tree/dump.hpp"

using namespace warpgrade::ptx;

namespace {

Module with(const std::string& declaration) {
  return parse(".version 9.0 .target sm_75 .func f() { ret; } .global .b8 other[64];\n" + declaration);
}

Variable last(const std::string& declaration) { return with(declaration).variables.back(); }

std::string error(const std::string& declaration) {
  try {
    with(declaration);
  } catch (const ParseError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("initialisers: rows fill their own dimension") {
  const Variable rows = last(".global .s32 x[][3] = {{1}, {2, 3}, {4, 5, 6}};");
  CHECK(rows.bytes == 36);
  CHECK(rows.initial[0] == 1);
  CHECK(rows.initial[12] == 2);
  CHECK(rows.initial[16] == 3);
  CHECK(rows.initial[24] == 4);
  const Variable mixed = last(".global .u8 x[3][2] = {1, 2, {3}, {4, 5}};");
  CHECK(mixed.initial == std::vector<std::uint8_t>{1, 2, 3, 0, 4, 5});
  CHECK(last(".global .u8 x[] = {1, 2, 3};").bytes == 3);
  CHECK(last(".global .u8 x[4] = {};").initial == std::vector<std::uint8_t>(4));
}

TEST_CASE("initialisers: values take the type's width, little-endian") {
  CHECK(last(".global .u16 x = 0x1234;").initial == std::vector<std::uint8_t>{0x34, 0x12});
  CHECK(last(".global .s64 x = -2;").initial[7] == 0xff);
  CHECK(last(".global .f32 x = 1.0;").initial == std::vector<std::uint8_t>{0, 0, 0x80, 0x3f});
  CHECK(last(".global .f64 x = 0f3F800000;").initial ==
        std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0, 0xf0, 0x3f});
  CHECK(last(".global .u8 x = 3 * 4 + 1;").initial[0] == 13);
}

TEST_CASE("initialisers: addresses become relocations") {
  const Variable function = last(".global .u64 x = f;");
  REQUIRE(function.relocations.size() == 1);
  CHECK(function.relocations[0].symbol == "f");
  CHECK_FALSE(function.relocations[0].generic);
  const Variable generic = last(".const .u64 x[2] = {0, generic(other)+8};");
  REQUIRE(generic.relocations.size() == 1);
  CHECK(generic.relocations[0].offset == 8);
  CHECK(generic.relocations[0].addend == 8);
  CHECK(generic.relocations[0].generic);
  const Variable byte = last(".global .u8 x[2] = {0xff0000(generic(other+1)), 7};");
  REQUIRE(byte.relocations.size() == 1);
  CHECK(byte.relocations[0].bytes == 1);
  CHECK(byte.relocations[0].shift == 16);
  CHECK(byte.relocations[0].addend == 1);
  CHECK(byte.initial[1] == 7);
}

TEST_CASE("initialisers: errors") {
  CHECK(error(".global .u8 x[2] = {1, 2, 3};") ==
        "ptx:2:27: more initial values than the variable has elements");
  CHECK(error(".global .u8 x[2][1] = {{1}, {2}, {3}};").find("more initial values") != std::string::npos);
  CHECK(error(".global .u8 x[2] = {{1}};").find("too many braces") != std::string::npos);
  CHECK(error(".global .u8 x[2] = 1;").find("expected '{' in front of the initial values") !=
        std::string::npos);
  CHECK(error(".global .u8 x[2][0] = {1};").find("without elements") != std::string::npos);
  CHECK(error(".global .u8 x = other;").find("an address does not fit") != std::string::npos);
  CHECK(error(".global .u8 x = 0xfff(other);").find("selects one byte") != std::string::npos);
  CHECK(error(".global .u8 x = 0(other);").find("selects one byte") != std::string::npos);
  CHECK(error(".global .u32 x = 1.5;").find("only .f32 and .f64") != std::string::npos);
  CHECK(error(".global .f32 x = 1;").find("write a real number") != std::string::npos);
  CHECK(error(".global .u64 x = nobody;").find("names 'nobody', which is declared nowhere") !=
        std::string::npos);
  CHECK(error(".global .u8 x[1099511627776] = {{1}};").find("too many braces") != std::string::npos);
}
