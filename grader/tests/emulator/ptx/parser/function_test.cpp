#include "ptx/parser/function.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ptx/parser/parser.hpp"

using namespace warpgrade::ptx;

namespace {

Module entry(const std::string& directives) {
  return parse(".version 9.0 .target sm_90 .visible .entry k() " + directives + " { ret; }");
}

}  // namespace

TEST_CASE("functions: directives in front of the body") {
  const Module module = entry(
      ".maxntid 128 .reqntid 8, 8, 2 .minnctapersm 3 .maxnreg 40 .maxclusterrank 4 .explicitcluster "
      ".reqnctapercluster 2, 1, 1 .blocksareclusters .pragma \"a\", \"b\"; .attribute(.unified(1, (2)))");
  const Function& f = module.functions[0];
  CHECK(f.max_threads[0] == 128);
  CHECK(f.max_threads[1] == 1);
  CHECK(f.required_threads[2] == 2);
  CHECK(f.min_blocks == 3);
  CHECK(f.max_registers == 40);
  CHECK(f.cluster[0] == 2);
  CHECK(f.is_entry);
}

TEST_CASE("functions: without directives all limits are zero") {
  const Module module = entry("");
  CHECK(module.functions[0].max_threads[0] == 0);
  CHECK(module.functions[0].required_threads[0] == 0);
}

TEST_CASE("functions: results and parameters of both kinds") {
  const Module module = parse(
      ".version 9.0 .target sm_75 .func (.param .align 8 .b8 out[16], .reg .b32 r) f (.reg .b64 a, .param "
      ".b32 b) .noreturn "
      "{ mov.u32 r, 1; cvt.u32.u64 r, a; ret; }");
  const Function& f = module.functions[0];
  REQUIRE(f.results.size() == 2);
  REQUIRE(f.parameters.size() == 2);
  CHECK(f.results[0].name == "f::out");
  CHECK(f.results[0].bytes == 16);
  CHECK(f.results[1].space == Space::reg);
  CHECK(f.registers.size() == 2);
  CHECK(f.parameters[1].name == "f::b");
  CHECK(f.noreturn);
}

TEST_CASE("functions: a recursive one knows its own name, and one declared later is unknown") {
  CHECK(parse(".version 9.0 .target sm_75 .func f() { call f; ret; }").functions.size() == 1);
  CHECK_THROWS_AS(parse(".version 9.0 .target sm_75 .func f() { call g; ret; } .func g() { ret; }"),
                  ParseError);
}
