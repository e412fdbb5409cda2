#include "ptx/parser/debug_section.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ptx/parser/parser.hpp"

using namespace warpgrade::ptx;

namespace {

std::string function_after(const std::string& section) {
  const Module module = parse(
      ".version 9.0 .target sm_75 .entry k() { .loc 1 1 1, function_name n1, inlined_at 1 2 3\n ret; }\n" +
      section);
  return module.locations[1].function;
}

}  // namespace

TEST_CASE("debug sections: strings end at their NUL, across lines") {
  CHECK(function_after(".section .debug_str { n0: .b8 97,0 n1: .b8 98,99\n.b8 100,0 n2: .b8 101,0 }") ==
        "bcd");
  CHECK(function_after(".section .debug_str { n1: .b8 98,0,99,0 }") == "b");
  CHECK(function_after(".section .debug_info { n1: .b8 98,0 }").empty());
  CHECK(function_after(".section .debug_str { }").empty());
}

TEST_CASE("debug sections: errors") {
  for (const std::string section :
       {".section", ".section {", ".section .debug_str { n1 .b8 1 }", ".section .debug_str { .b8 256 }",
        ".section .debug_str { .b16 1 }", ".section .debug_loc {"}) {
    CAPTURE(section);
    CHECK_THROWS_AS(function_after(section), ParseError);
  }
}

TEST_CASE("debug sections: bytes, labels, and references to labels and sections") {
  const Module module = parse(
      ".version 9.0 .target sm_75 .entry k() { ret; }\n"
      ".section .debug_loc { start: .b64 a\n.b64 b-a+4 .b8 1,2 }\n.section .debug_info { .b32 .debug_loc+2 "
      "}");
  const DebugSection& list = module.debug.at("debug_loc");
  CHECK(list.content == std::string(16, '\0') + "\1\2");
  CHECK(list.labels.at("start") == 0);
  REQUIRE(list.references.size() == 2);
  CHECK(list.references[1].symbol == "b");
  CHECK(list.references[1].minus == "a");
  CHECK(list.references[1].addend == 4);
  CHECK(module.debug.at("debug_info").references.at(0).symbol == "debug_loc");
}

TEST_CASE("debug sections: one that holds something else is left out") {
  const Module module =
      parse(".version 9.0 .target sm_75 .entry k() { ret; }\n.section .debug_loc { .b8 1 .align 4 }");
  CHECK(module.debug.at("debug_loc").content.empty());
}
