#include "ptx/parser/summary.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace warpgrade::ptx;

TEST_CASE("a summary names the kernels and the types of their parameters") {
  const Summary found = summarize(
      ".visible .entry matmul(\n\t.param .u64 .ptr .align 1 a,\n\t.param .align 8 .b8 b[24]\n)\n{\n}\n"
      ".entry other() { ret; } // .entry hidden()\n");
  REQUIRE(found.kernels.size() == 2);
  CHECK(found.kernels[0].name == "matmul");
  CHECK(found.kernels[0].parameters == std::vector<std::string>{"u64", "b8[24]"});
  CHECK(found.kernels[1].name == "other");
  CHECK(found.kernels[1].parameters.empty());
}

TEST_CASE("a summary of text that is not PTX says what can be read") {
  const Summary found = summarize(".entry k(\xff\n`mma.sync.aligned 0x ; 99999999999999999999999 \"open");
  REQUIRE(found.kernels.size() == 1);
  REQUIRE(found.tensor.has_value());
  CHECK(found.tensor->line == 2);
  CHECK(summarize("").kernels.empty());
}

TEST_CASE("global memory counts the variables of a module, and sizes that are not decimal as too large") {
  CHECK(summarize(".global .align 4 .b32 x[2][3] = {1, 2}; .const .b8 y[5];").global_bytes == 24);
  CHECK(summarize("{ .global .v4 .f32 x[3], y; ld.global.f32 %f1, [%rd1+8]; }").global_bytes == 64);
  for (const char* size : {"0x10000000", "1 << 28", "8U", "99999999999999999999999"})
    CHECK(summarize(std::string(".global .b8 x[") + size + "];").global_bytes > std::uint64_t{1} << 60);
}

TEST_CASE("instructions are counted by opcode and modifiers") {
  const Summary found = summarize(
      ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<5>;\n.loc 1 5 3\nld.global.f32 %f1, [%rd1+8];\n"
      ".loc 1 6 3, function_name $L, inlined_at 1 9 2\n@%p1 atom.global.add.f32 %f2, [%rd1], %f1;\n"
      "@!%p1 bra $L_1; $L_1: add.f32 %f1,\n%f1, %f2; { atom .global .add.f32 %f3, [a], %f1; }\n"
      "again: ret;\n// ret;\n}\n");
  const std::map<std::string, std::uint64_t> expected = {
      {"ld.global.f32", 1}, {"atom.global.add.f32", 2}, {"bra", 1}, {"add.f32", 1}, {"ret", 1}};
  CHECK(found.opcodes == expected);
  CHECK(summarize("@ @ ! ; @! x\xff").opcodes.empty());
}

TEST_CASE("kernels with a call are callers where a function has a body") {
  const std::string kernels = ".entry k() { @%p1 call.uni (r), f, (p); call f, (p); } .entry l() { ret; }";
  const std::string own = ".func (.param .b32 r) f(.param .b64 p) { ret; }";
  CHECK(summarize(own + kernels).callers == std::vector<std::string>{"k"});
  CHECK(summarize(kernels + own).callers == std::vector<std::string>{"k"});
  CHECK(summarize(".extern .func (.param .b32 r) vprintf (.param .b64 a);\n" + kernels).callers.empty());
}

TEST_CASE("a line for a preprocessor begins with #") {
  CHECK(summarize("a;\n \t# 3 \"b\"\n").has_preprocessor_line);
  CHECK_FALSE(summarize("// #\n/*\n#\n*/ \"\n#\" a #\n").has_preprocessor_line);
}

TEST_CASE("comments of several lines are replaced by their line ends") {
  CHECK(without_long_comments("a; /* b\n# c */ d; // e /*\nf; /* g */") == "a;  \n d; // e /*\nf; /* g */");
  CHECK(without_long_comments("a; /* b\n") == "a;  \n");
  CHECK_FALSE(without_long_comments("a; /* b */ \"/*\n*/\" // c\n").has_value());
}

TEST_CASE("two texts are the same if an assembler reads the same tokens on the same lines") {
  CHECK(same_tokens("\n.target sm_75 // x\n\tadd.f32 %f1 , %f1,/* b */a ;\n",
                    ".target sm_75\nadd.f32 %f1,%f1,a;"));
  CHECK_FALSE(same_tokens("ad/**/d.f32 a;", "add.f32 a;"));
  CHECK_FALSE(same_tokens("a; /*\n*/\nb;", "a;\nb;"));
  CHECK_FALSE(same_tokens("a;", "a; \"open"));
  CHECK_FALSE(same_tokens("// a\radd;", "\radd;"));
}

TEST_CASE("source locations are the .file and .loc directives that are not in a comment") {
  const SourceLocations found = source_locations(
      ".file 1 \"/box/kernel.cu\"\n.file 2 \"a.h\", 17, 4\n// .loc 1 9 9\n.loc 1 2 3\n\tret; .loc 2 5 1, "
      "function_name $L, inlined_at 1 2 3\n");
  CHECK(found.files == std::map<std::uint64_t, std::string>{{1, "/box/kernel.cu"}, {2, "a.h"}});
  REQUIRE(found.locs.size() == 2);
  CHECK(found.locs[0].ptx_line == 4);
  CHECK(found.locs[0].file == 1);
  CHECK(found.locs[0].line == 2);
  CHECK(found.locs[1].ptx_line == 5);
  CHECK(found.locs[1].file == 2);
}

TEST_CASE("a directive without its numbers is no source location") {
  for (const std::string text :
       {".loc", ".loc 1", ".loc 1 .loc", ".loc 1 99999999999 1", ".loc x 1 1", ".file \"a\""}) {
    CAPTURE(text);
    const SourceLocations found = source_locations(text);
    CHECK(found.locs.empty());
    CHECK(found.files.empty());
  }
}
