#include "ptx/parser/operand.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ptx/tree/dump.hpp"
#include "ptx/tree/parse_error.hpp"

using namespace warpgrade::ptx;

namespace {

struct Fixture {
  Function function;
  Names names{function};
  Fixture() {
    function.name = "f";
    names.declare_range("%r", 8, Type::b32, {1, 1});
    names.declare_range("%p", 4, Type::pred, {1, 1});
    Variable tile;
    names.declare_variable("tile", tile);
  }
  std::string parsed(const std::string& text) {
    Cursor cursor(text);
    Instruction instruction;
    instruction.set_form("op");
    instruction.operands.push_back(OperandParser(cursor, names).parse());
    REQUIRE(cursor.at_end());
    return dump(instruction, function).substr(3);
  }
  std::string error(const std::string& text) {
    try {
      Cursor cursor(text);
      OperandParser(cursor, names).parse();
    } catch (const ParseError& e) {
      return e.what();
    }
    return "no error";
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "operands: registers, pairs and sinks") {
  CHECK(parsed("%r7") == "%r7");
  CHECK(parsed("!%p1") == "!%p1");
  CHECK(parsed("%p1|%p2") == "%p1|%p2");
  CHECK(parsed("_|%p2") == "_|%p2");
  CHECK(parsed("%p1|_") == "%p1");
  CHECK(parsed("_") == "_");
  CHECK(parsed("%r1.h0") == "%r1.h0");
  CHECK(error("%r8") == "ptx:1:1: the register '%r8' is not declared");
  CHECK(error("%r07") == "ptx:1:1: the register '%r07' is not declared");
  CHECK(error("1|%p1").find("ptx:1:3: expected a number") == 0);  // behind a number the bar is an operator
  CHECK(error("tile|%p1").find("'|' stands between two registers") != std::string::npos);
  CHECK(error("%p1|4").find("expected a register behind '|'") != std::string::npos);
  CHECK(error("!4").find("expected a predicate behind '!'") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "operands: numbers, names and addresses") {
  CHECK(parsed("-1") == "0xffffffffffffffff");
  CHECK(parsed("(1<<4)+2") == "0x12");
  CHECK(parsed("0fBF800000") == "f32:0xbf800000");
  CHECK(parsed("tile+8") == "&f::tile+8");
  CHECK(parsed("other") == "&other");
  CHECK(parsed("[%r1]") == "[%r1]");
  CHECK(parsed("[%r1+-8]") == "[%r1-8]");
  CHECK(parsed("[%r1-8]") == "[%r1-8]");
  CHECK(parsed("[tile+4*2]") == "[f::tile+8]");
  CHECK(parsed("[other+4]") == "[other+4]");
  CHECK(parsed("[16]") == "[16]");
  CHECK(parsed("{%r1, _, 0, tile}") == "{%r1, _, 0x0, &f::tile}");
  CHECK(parsed("[%r1, {%r2, %r3}]") == "[%r1 of (%r1, {%r2, %r3})]");
  CHECK(error("[%r1").find("expected ']' behind an address") != std::string::npos);
  CHECK(error("[1.5]").find("an address offset is an integer") != std::string::npos);
  CHECK(error("{{%r1}}").find("expected an operand") != std::string::npos);
}

TEST_CASE("operands: special registers are those of the manual") {
  for (const std::string_view name :
       {"%tid.x",    "%ntid.z",  "%ctaid.y",     "%nctaid.x",          "%laneid",          "%warpid",
        "%clock",    "%clock64", "%globaltimer", "%lanemask_eq",       "%lanemask_gt",     "%envreg0",
        "%envreg31", "%pm0",     "%pm7_64",      "%dynamic_smem_size", "%total_smem_size", "%cluster_ctarank",
        "%smid",     "%gridid"}) {
    CAPTURE(name);
    CHECK(is_special_register(name));
  }
  for (const std::string_view name :
       {"%tid.q", "%r1", "%envreg", "%envreg123", "%pm", "%", "", "%tidy", "laneid"}) {
    CAPTURE(name);
    CHECK_FALSE(is_special_register(name));
  }
}
