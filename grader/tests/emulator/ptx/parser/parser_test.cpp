#include "ptx/parser/parser.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "ptx/tree/dump.hpp"
#include "tests/emulator/support/checkout.hpp"

using namespace warpgrade::ptx;
namespace fs = std::filesystem;

namespace {

const std::string kHead = ".version 9.0\n.target sm_75\n.address_size 64\n";

std::string error(const std::string& text) {
  try {
    parse(text);
  } catch (const ParseError& e) {
    return e.what();
  }
  return "no error";
}

// The error in an entry whose body, from line 4 on, is this.
std::string body_error(const std::string& body) {
  return error(kHead + ".entry k(.param .u64 out) {\n" + body + "\n}");
}

bool starts(const std::string& text, const std::string& begin) {
  return text.compare(0, begin.size(), begin) == 0;
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<fs::path> golden() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(warpgrade::checkout() / "grader/tests/fixtures/ptx"))
    if (entry.path().extension() == ".ptx") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

// Parses a text that may be broken: a tree or a ParseError, nothing else. True for a tree.
bool survives(std::string_view text) {
  try {
    parse(text);
    return true;
  } catch (const ParseError& e) {
    CHECK(e.place.line >= 1);
    CHECK(e.place.column >= 1);
    return false;
  }
}

}  // namespace

TEST_CASE("parser: an error names place, cause and remedy") {
  CHECK(error("") == "ptx:1:1: this is not PTX: it lacks a .version directive");
  CHECK(error("hello") == "ptx:1:1: expected a directive, as in .global or .entry");
  CHECK(starts(error(".version 9\n"), "ptx:1:1: a version reads like .version 9.0"));
  CHECK(starts(error(".version 9.0 .target gfx90"), "no error"));
  CHECK(starts(error(kHead + ".unknown 3"), "ptx:4:1: the directive '.unknown' is not known: compile with"));
  CHECK(starts(error(".version 9.0\n.address_size 32"),
               "ptx:2:1: only .address_size 64 is supported: compile with -m64"));
  CHECK(starts(error(kHead + ".reg .b32 %r1;"),
               "ptx:4:1: registers and parameters are declared inside functions"));
  CHECK(starts(error(kHead + ".global .u32 x;\n.global .u32 x;"),
               "ptx:5:14: the variable 'x' is defined twice"));
  CHECK(starts(error(kHead + ".func f() { ret; }\n.func f() { ret; }"),
               "ptx:5:7: the function 'f' is defined twice"));
  CHECK(starts(error(kHead + ".global .u32 f;\n.func f() { ret; }"), "ptx:5:7: 'f' is a variable already"));
  CHECK(starts(error(kHead + ".func f() { ret; }\n.global .u32 f;"), "ptx:5:14: 'f' is a function already"));
  CHECK(
      starts(error(kHead + ".entry k() { ret;"), "ptx:4:18: the function 'k' has no end: a '}' is missing"));
  CHECK(starts(error(kHead + ".entry k() .frobnicate { ret; }"),
               "ptx:4:12: the directive '.frobnicate' is not known"));
  CHECK(starts(error(kHead + ".entry k() .maxntid 1,1,1,1 { ret; }"), "ptx:4:27: at most three numbers"));
  CHECK(starts(error(kHead + ".alias g, f;"),
               "ptx:4:8: an alias stands for a function that is defined before it"));
  CHECK(starts(error(kHead + ".section .debug_info { .b8 1"), "ptx:4:29: expected '}' behind the section"));
  CHECK(starts(error(kHead + ".file 1"),
               "ptx:4:8: expected a file's name in quotes, found the end of the text"));
}

TEST_CASE("parser: errors in a body") {
  CHECK(starts(body_error("mov.u32 %r1, 0;"), "ptx:5:9: the register '%r1' is not declared"));
  CHECK(
      starts(body_error(".reg .b32 %r<2>;\nmov.u32 %r2, 0;"), "ptx:6:9: the register '%r2' is not declared"));
  CHECK(starts(body_error("bra nowhere;"), "ptx:5:5: nothing is called 'nowhere'"));
  CHECK(starts(body_error("{ inner: ret; }\nbra inner;"), "ptx:6:5: nothing is called 'inner'"));
  CHECK(starts(body_error("a: a: ret;"), "ptx:5:4: the label 'a' stands twice in one scope"));
  CHECK(starts(body_error(".reg .b32 a;\n.reg .b32 a;"), "ptx:6:11: 'a' is declared twice in one scope"));
  CHECK(starts(body_error(".param .b32 out;"), "ptx:5:13: 'out' is declared twice in one scope"));
  CHECK(starts(body_error(".reg .b32 p;\n@p ret;"),
               "ptx:6:2: the guard of an instruction is a declared .pred register"));
  CHECK(starts(body_error("bar.sync 0"), "ptx:6:1: expected ';' behind the instruction, found '}'"));
  CHECK(starts(body_error("bar.sync ;,"), "ptx:5:11: expected an instruction, a label or a declaration"));
  CHECK(starts(body_error("bar.sync ,;"), "ptx:5:10: expected an operand"));
  CHECK(starts(body_error(".frob;"), "ptx:5:1: the directive '.frob' is not known inside a function"));
  CHECK(starts(body_error("t: .branchtargets nowhere;"),
               "ptx:5:19: 'nowhere' is neither a label nor a function"));
  CHECK(starts(body_error("ld.u32 {}, [1];"), "ptx:5:9: expected an operand"));
  CHECK(starts(body_error("ld.u32 _, [%tid.x];"), "ptx:5:12: an address is a register or a name"));
  CHECK(starts(body_error(".shared .b32 x = 1;"),
               "ptx:5:16: only .global and .const variables have initial values"));
  CHECK(
      starts(body_error(".reg .b32 %r<99999999>;"), "ptx:5:14: a number of registers is larger than 262144"));
  CHECK(starts(body_error(".pragma 3;"), "ptx:5:9: expected a pragma in quotes, found '3'"));
}

TEST_CASE("parser: unlimited nesting or repetition is refused") {
  CHECK(body_error(std::string(100000, '{')).find("nested more than 128 deep") != std::string::npos);
  CHECK(body_error("mov.u32 _, " + std::string(100000, '(')).find("nested too deeply") != std::string::npos);
  std::string many;
  for (int i = 0; i < 2000; ++i) many += ".reg .b32 r" + std::to_string(i) + "x<0>;";
  CHECK(body_error(many).find("more than 1,024 register ranges") != std::string::npos);
  CHECK(body_error(".reg .b32 a<200000>, b<200000>;").find("more than 262,144 registers") !=
        std::string::npos);
  CHECK(error(kHead + ".global .b8 x[1099511627776][1099511627776];").find("larger than 1 TB") !=
        std::string::npos);
  CHECK(error(kHead + ".global .b8 x[1000000000] = {1};").find("larger than 256 MB") != std::string::npos);
}

TEST_CASE("parser: a declaration is dropped where its definition exists") {
  const Module module = parse(kHead + ".extern .func f(); .func f() { ret; } .func f(); .extern .func g();");
  REQUIRE(module.functions.size() == 2);
  CHECK_FALSE(module.functions[0].is_declaration);
  CHECK(module.functions[1].is_declaration);
}

TEST_CASE("parser: the strong one of two definitions stays") {
  const Module module =
      parse(kHead + ".weak .func f() { trap; } .func f() { exit; } .weak .func f() { ret; }");
  REQUIRE(module.functions.size() == 1);
  REQUIRE(module.functions[0].instructions.size() == 1);
  CHECK(module.functions[0].instructions[0].opcode == Opcode::exit);
}

TEST_CASE("parser: .global in a body belongs to the module") {
  const Module module =
      parse(kHead + ".entry k() { .global .u32 x = 7; .reg .b32 %r<1>; ld.global.u32 %r0, [x]; }");
  REQUIRE(module.variables.size() == 1);
  CHECK(module.variables[0].name == "k::x");
  CHECK(module.functions[0].instructions[0].operands[1].symbol == "k::x");
}

TEST_CASE("parser: each golden text, cut off at every byte, gives a tree or a ParseError") {
  for (const fs::path& path : golden()) {
    CAPTURE(path.filename().string());
    const std::string text = content(path);
    REQUIRE(survives(text));
    std::size_t trees = 0;
    for (std::size_t length = 0; length < text.size(); ++length) {
      // A copy of exactly this length, so that a sanitizer sees a read behind its end.
      const std::vector<char> part(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length));
      trees += survives({part.data(), part.size()}) ? 1 : 0;
    }
    CHECK(trees < text.size() / 2);
  }
}

TEST_CASE("parser: damaged texts give a tree or a ParseError") {
  std::mt19937 random(20240607);
  const std::string alphabet = "{}()[]<>,;:=+-.%@!|_$0x9fUa \n\"/*\\";
  for (const fs::path& path : golden()) {
    const std::string text = content(path);
    for (int round = 0; round < 300; ++round) {
      std::string damaged = text;
      for (int i = 0; i < 3; ++i) damaged[random() % damaged.size()] = alphabet[random() % alphabet.size()];
      const std::size_t from = random() % damaged.size();
      if (round % 3 == 0) damaged.erase(from, random() % 20);
      survives(damaged);
    }
  }
}

TEST_CASE("parser: the compiler's output for every kernel of the tests") {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(warpgrade::checkout() / "build/tests/kernels")) {
    if (entry.path().extension() != ".ptx") continue;
    CAPTURE(entry.path().filename().string());
    const Module module = parse(content(entry.path()));
    CHECK(module.target == (entry.path().stem().string().ends_with("_sm90") ? 90 : 75));
    CHECK(std::any_of(module.functions.begin(), module.functions.end(),
                      [](const Function& f) { return f.is_entry; }));
    CHECK_FALSE(module.locations.empty());
    ++count;
  }
  CHECK(count > 0);
}

TEST_CASE("parser: the same text gives the same dump") {
  for (const fs::path& path : golden()) {
    const std::string text = content(path);
    CHECK(dump(parse(text)) == dump(parse(text)));
  }
}
