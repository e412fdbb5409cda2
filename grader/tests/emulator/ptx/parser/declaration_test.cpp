#include "ptx/parser/declaration.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ptx/tree/parse_error.hpp"

using namespace warpgrade::ptx;

namespace {

std::vector<Variable> variables(const std::string& text) {
  Cursor cursor(text);
  std::vector<Variable> all;
  parse_variables(cursor, Space::global, [&](Variable v) { all.push_back(std::move(v)); });
  return all;
}

std::string error(const std::string& text) {
  try {
    variables(text);
  } catch (const ParseError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("declarations: alignment, vectors and dimensions") {
  CHECK(variables(".u16 x;")[0].alignment == 2);
  CHECK(variables(".align 16 .b8 x[3];")[0].alignment == 16);
  CHECK(variables(".v4 .f32 x;")[0].alignment == 16);
  CHECK(variables(".v4 .f32 x[2];")[0].bytes == 32);
  CHECK(variables(".u32 x[2][3][4];")[0].bytes == 96);
  CHECK(variables(".u32 x[1<<4];")[0].bytes == 64);
  const std::vector<Variable> two = variables(".attribute(.managed) .align 8 .u32 a, b[2];");
  REQUIRE(two.size() == 2);
  CHECK(two[0].managed);
  CHECK(two[1].alignment == 8);
  CHECK(two[1].bytes == 8);
  CHECK_FALSE(variables(".attribute(.unified(1, 2)) .u32 a;")[0].managed);
}

TEST_CASE("declarations: parameters keep their order and their pointers' attributes mean nothing") {
  Cursor cursor("(.param .u64 .ptr .global .align 16 a, .param .align 4 .b8 b[12], .param .b32 _)");
  const std::vector<Variable> parameters = parse_parameters(cursor);
  REQUIRE(parameters.size() == 3);
  CHECK(parameters[0].name == "a");
  CHECK(parameters[0].alignment == 8);
  CHECK(parameters[1].bytes == 12);
  CHECK(parameters[1].alignment == 4);
  CHECK(parameters[2].name == "_");
  CHECK(cursor.at_end());
}

TEST_CASE("declarations: errors") {
  CHECK(error("x;") ==
        "ptx:1:1: a declaration lacks its type: write .b32 or another one in front of the name");
  CHECK(error(".s128 x;") == "ptx:1:1: '.s128' is not a type");
  CHECK(error(".align 3 .u32 x;") == "ptx:1:8: an alignment is a power of two");
  CHECK(error(".align 0 .u32 x;") == "ptx:1:8: an alignment is a power of two");
  CHECK(error(".u32 x[-1];") == "ptx:1:8: an array's size is not negative");
  CHECK(error(".u32 x[2][];").find("only the first dimension") != std::string::npos);
  CHECK(error(".texref x;").find("use texture objects") != std::string::npos);
  CHECK(error(".attribute(.managed .u32 x;").find("expected ')' behind the attributes") != std::string::npos);
  CHECK(error(".u32 x").find("expected ';' behind the declaration, found the end of the text") !=
        std::string::npos);
  CHECK(error(".u32 x[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1];").find("at most 16 dimensions") !=
        std::string::npos);
}
