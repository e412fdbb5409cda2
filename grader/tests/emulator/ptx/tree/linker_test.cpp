#include "ptx/tree/linker.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "ptx/parser/parser.hpp"

using namespace warpgrade::ptx;

namespace {

const std::string kHead = ".version 9.0\n.target sm_75\n.address_size 64\n";

Module linked(std::vector<std::string> texts) {
  std::vector<Module> modules;
  for (const std::string& text : texts) modules.push_back(parse(kHead + text));
  return link(std::move(modules));
}

int count(const Module& module, const std::string& name) {
  int found = 0;
  for (const Variable& each : module.variables) found += each.name == name;
  for (const Function& each : module.functions) found += each.name == name;
  return found;
}

const Variable& variable(const Module& module, const std::string& name) {
  for (const Variable& each : module.variables)
    if (each.name == name) return each;
  FAIL("no variable " << name);
  return module.variables.front();
}

}  // namespace

TEST_CASE("a declaration meets the definition of another module, whichever comes first") {
  const std::string user =
      ".extern .global .u32 n;\n.extern .func f();\n.visible .entry k() { call f; ret; }\n";
  const std::string owner = ".visible .global .u32 n = 7;\n.visible .func f() { ret; }\n";
  for (const auto& both : {std::vector{user, owner}, std::vector{owner, user}}) {
    const Module module = linked(both);
    CHECK(count(module, "n") == 1);
    CHECK_FALSE(variable(module, "n").is_extern);
    CHECK(variable(module, "n").initial == std::vector<std::uint8_t>{7, 0, 0, 0});
    REQUIRE(count(module, "f") == 1);
    CHECK_FALSE(module.find_function("f")->is_declaration);
  }
}

TEST_CASE("names that only their module sees stay apart, with all that uses them") {
  const std::string text = ".global .u32 n = ";
  const std::string user =
      ";\n.func f() { ret; }\n.visible .entry K() { .reg .b32 %r; ld.global.u32 %r, [n]; call f; ret; }\n";
  std::string second = text + "2" + user;
  second.replace(second.find(" K()"), 4, " L()");
  const Module module = linked({text + "1" + user, second});
  CHECK(variable(module, "n").initial[0] == 1);
  CHECK(variable(module, "n@1").initial[0] == 2);
  const Function* own = module.find_function("L");
  REQUIRE(own != nullptr);
  CHECK(own->instructions[0].operands[1].symbol == "n@1");
  CHECK(own->instructions[1].operands[0].symbol == "f@1");
  CHECK(module.find_function("K")->instructions[0].operands[1].symbol == "n");
}

TEST_CASE("of weak definitions the first stays, and a strong one wins") {
  CHECK(linked({".weak .func f() { ret; }\n", ".weak .func f() { exit; }\n"})
            .find_function("f")
            ->instructions[0]
            .opcode == Opcode::ret);
  CHECK(linked({".weak .func f() { ret; }\n", ".visible .func f() { exit; }\n"})
            .find_function("f")
            ->instructions[0]
            .opcode == Opcode::exit);
}

TEST_CASE("two visible definitions of one name are an error that names it") {
  CHECK_THROWS_WITH_AS(linked({".visible .func f() { ret; }\n", ".visible .func f() { ret; }\n"}),
                       doctest::Contains("'f' is defined in two modules"), ParseError);
  CHECK_THROWS_WITH_AS(linked({".visible .global .u32 n;\n", ".visible .global .u32 n;\n"}),
                       doctest::Contains("'n' is defined in two modules"), ParseError);
}

TEST_CASE("source places lead to the files of their own module") {
  const std::string body = ".visible .entry K() { .loc 1 5 2\n ret; }\n.file 1 \"NAME.cu\"\n";
  std::string first = body, second = body;
  first.replace(first.find("NAME"), 4, "one");
  second.replace(second.find("NAME"), 4, "two");
  second.replace(second.find(" K()"), 4, " L()");
  const Module module = linked({first, second});
  const auto file_of = [&](const char* kernel) {
    const auto at = static_cast<std::size_t>(module.find_function(kernel)->instructions[0].location);
    return module.files.at(module.locations[at].file);
  };
  CHECK(file_of("K") == "one.cu");
  CHECK(file_of("L") == "two.cu");
}
