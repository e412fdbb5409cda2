#include "ptx/parser/body.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ptx/parser/parser.hpp"

using namespace warpgrade::ptx;

namespace {

Function body(const std::string& text) {
  return parse(
             ".version 9.0 .target sm_75 .func g() { ret; } .entry k() { .reg .pred %p<3>; .reg .b32 "
             "%r<9>; " +
             text + "}")
      .functions.back();
}

}  // namespace

TEST_CASE("bodies: a guard and a used_bytes_mask belong to one instruction") {
  const Function f = body(
      "@!%p1 ret; ret; .pragma \"used_bytes_mask 0xf0ff\"; ld.u32 %r1, [%r2]; ld.u32 %r1, [%r2]; "
      ".pragma \"nounroll\", \"used_bytes_mask 3\"; ret;");
  CHECK(f.instructions[0].guard == 1);
  CHECK(f.instructions[0].guard_negated);
  CHECK(f.instructions[1].guard == -1);
  CHECK_FALSE(f.instructions[1].guard_negated);
  CHECK(f.instructions[2].used_bytes_mask == 0xf0ff);
  CHECK(f.instructions[3].used_bytes_mask == 0);
}

TEST_CASE("bodies: a label's index is that of the next instruction") {
  const Function f = body("a: b: ret; { .reg .b32 x; c: } d: bra d; bra a; e:");
  CHECK(f.labels.at("a") == 0);
  CHECK(f.labels.at("b") == 0);
  CHECK(f.labels.at("c") == 1);
  CHECK(f.labels.at("d") == 1);
  CHECK(f.labels.at("e") == 3);
  CHECK(f.instructions[1].operands[0].kind == Operand::Kind::label);
  CHECK(f.instructions[1].operands[0].offset == 1);
  CHECK(f.instructions[2].operands[0].offset == 0);
}

TEST_CASE("bodies: a branch out of a scope finds the outer label of the same name as an inner one") {
  const Function f = body("{ bra end; { end: ret; } } end: ret;");
  CHECK(f.instructions[0].operands[0].symbol == "end.1");
  CHECK(f.instructions[0].operands[0].offset == 2);
}

TEST_CASE("bodies: tables name labels as they are called after scoping") {
  const Function f = body(
      "{ a: ret; } { a: t: .branchtargets a, a; brx.idx %r1, t; } { t: .branchtargets z; brx.idx %r1, t; } "
      "z:");
  CHECK(f.branch_targets.at("t") == std::vector<std::string>{"a.1", "a.1"});
  CHECK(f.branch_targets.at("t.1") == std::vector<std::string>{"z"});
  CHECK(f.instructions[2].operands[1].symbol == "t.1");
}

TEST_CASE("bodies: calls keep results, target, arguments and prototype as they stand") {
  const Function f = body(
      "{ .param .b32 a; .reg .b64 %rd1; call (a), g, (a, 1); p: .callprototype (.param .b32 _) _ (.param "
      ".b32 _); "
      "call (a), %rd1, (a), p; call g; call g, (); }");
  CHECK(f.instructions[0].operands.size() == 3);
  CHECK(f.instructions[0].operands[2].elements.size() == 2);
  CHECK(f.instructions[1].operands[1].kind == Operand::Kind::reg);
  CHECK(f.instructions[1].operands[3].symbol == "p");
  CHECK(f.prototypes.at("p").parameters.size() == 1);
  CHECK(f.instructions[2].operands.size() == 1);
  CHECK(f.instructions[3].operands[1].elements.empty());
}

TEST_CASE("bodies: a branch without its label is an error") {
  CHECK_THROWS_AS(body("a: bra; ret;"), ParseError);
  CHECK_THROWS_AS(body("a: bra a, a; ret;"), ParseError);
  CHECK_THROWS_AS(body("a: bra g; ret;"), ParseError);
  CHECK_THROWS_AS(body("a: bra %r1; ret;"), ParseError);
  CHECK_THROWS_AS(body("a: t: .branchtargets a; brx.idx %r1; ret;"), ParseError);
  CHECK_THROWS_AS(body("a: t: .branchtargets g; brx.idx %r1, t; ret;"), ParseError);
  CHECK_THROWS_AS(body("a: brx.idx %r1, a; ret;"), ParseError);
  CHECK_NOTHROW(body("a: t: .branchtargets a; @%p1 bra a; brx.idx %r1, t;"));
}
