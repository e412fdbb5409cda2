// Inlining of toolkit functions into their callers.
#include "analysis/debug_build/debug_inliner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "ptx/parser/parser.hpp"
#include "tests/emulator/support/kernel_stage.hpp"

using namespace warpgrade;

namespace {

const std::string kHead = ".version 8.0\n.target sm_75\n.address_size 64\n";
const std::string kFiles =
    ".file 1 \"/usr/local/cuda/include/sm_30_intrinsics.hpp\"\n.file 2 \"/home/a/kernel.cu\"\n";

// Returns 2·x + 1, with the help of another toolkit function.
const std::string kDouble =
    ".func (.param .b32 result) twice(.param .b32 a) { .loc 1 7 1\n .reg .b32 %r<3>;\n"
    "ld.param.u32 %r1, [a]; shl.b32 %r2, %r1, 1; st.param.b32 [result+0], %r2; ret; }\n"
    ".func (.param .b32 result) more(.param .b32 a) { .loc 1 9 1\n .reg .b32 %r<4>;\n"
    "ld.param.u32 %r1, [a]; { .param .b32 p0; st.param.b32 [p0+0], %r1; .param .b32 r0;\n"
    "call (r0), twice, (p0); ld.param.b32 %r2, [r0+0]; }\n"
    "bra NEXT; NEXT: add.s32 %r3, %r2, 1; st.param.b32 [result+0], %r3; ret; }\n";

// out[thread] = more(thread); odd threads branch past the call.
const std::string kKernel =
    ".visible .entry k(.param .u64 out, .param .u32 n) { .loc 2 3 1\n"
    ".reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<5>;\n"
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n"
    "and.b32 %r2, %r1, 1; mov.u32 %r5, 0; setp.eq.u32 %p1, %r2, 1; @%p1 bra ODD;\n"
    "{ .param .b32 param0; st.param.b32 [param0+0], %r1; .param .b32 back;\n"
    ".loc 2 5 1\n call (back), more, (param0); ld.param.b32 %r3, [back+0]; }\n"
    "{ .param .b32 param0; st.param.b32 [param0+0], %r3; .param .b32 back;\n"
    ".loc 2 6 1\n call (back), more, (param0); ld.param.b32 %r5, [back+0]; }\n"
    "ODD: st.global.u32 [%rd3], %r5; ret; }\n";

ptx::Module inlined(const std::string& text) {
  ptx::Module module = ptx::parse(text);
  emulator::inline_toolkit_functions(module);
  return module;
}

std::ptrdiff_t count(const ptx::Module& module, const std::string& function, ptx::Opcode opcode) {
  const auto& all = module.find_function(function)->instructions;
  return std::count_if(all.begin(), all.end(), [&](const auto& each) { return each.opcode == opcode; });
}

// A kernel that calls a function of the toolkit around one instruction, with a constant.
ptx::Instruction passed_on(const std::string& constant, const std::string& body, ptx::Opcode opcode) {
  const ptx::Module module = inlined(
      kHead + ".func f(.param .b32 a) { .loc 1 7 1\n .reg .pred %p<3>; .reg .b16 %rs<3>; .reg .b32 %r<9>;\n" +
      body + " ret; }\n.visible .entry k() { .loc 2 3 1\n { .param .b32 p; st.param.b32 [p+0], " + constant +
      "; call f, (p); } ret; }\n" + kFiles);
  for (const ptx::Instruction& each : module.find_function("k")->instructions)
    if (each.opcode == opcode) return each;
  return {};
}

}  // namespace

TEST_CASE("a function of the toolkit that runs straight through is no call any more, and computes the same") {
  const std::string text = kHead + kDouble + kKernel + kFiles;
  const ptx::Module module = inlined(text);
  CHECK(count(module, "k", ptx::Opcode::call) == 0);
  CHECK(count(module, "k", ptx::Opcode::shl) == 2);
  stage::Stage stage = stage::Stage::of_text(text);
  stage::compare(stage, "k", 1, [](int i) { return i % 2 != 0 ? 0 : 2 * (2 * i + 1) + 1; });
}

TEST_CASE("its places are inlined where it was called") {
  const ptx::Module module = inlined(kHead + kDouble + kKernel + kFiles);
  std::vector<int> lines;
  for (const ptx::Instruction& each : module.find_function("k")->instructions) {
    if (each.opcode != ptx::Opcode::shl) continue;
    const auto place = [&](int n) { return module.locations.at(static_cast<std::size_t>(n)); };
    const ptx::Location inner = place(each.location), outer = place(inner.inlined_at);
    CHECK(inner.line == 7);
    CHECK(outer.line == 9);
    lines.push_back(place(outer.inlined_at).line);
  }
  CHECK(lines == std::vector<int>{5, 6});
}

TEST_CASE("constant arguments reach the inlined function that tests them") {
  const ptx::Instruction barrier =
      passed_on("0", "ld.param.u32 %r1, [a]; mov.b32 %r2, %r1; bar.sync %r2;", ptx::Opcode::bar);
  REQUIRE(barrier.operands.size() == 1);
  CHECK(barrier.operands[0].kind == ptx::Operand::Kind::integer);
  CHECK(barrier.operands[0].bits == 0);
  const ptx::Instruction vote =
      passed_on("-1", "ld.param.u32 %r1, [a]; vote.sync.ballot.b32 %r2, %p1, %r1;", ptx::Opcode::vote);
  CHECK(static_cast<std::uint32_t>(vote.operands.at(2).bits) == 0xffffffff);
  // Loads fewer bytes than were stored.
  const ptx::Instruction move = passed_on("-1", "ld.param.u16 %rs1, [a]; bar.sync 0;", ptx::Opcode::mov);
  CHECK(move.operands.at(1).bits == 0xffff);
}

TEST_CASE("what branches, calls itself or is the program's own stays a function") {
  const auto calls = [](const std::string& function) {
    return count(
        inlined(kHead + function + ".visible .entry k() { .loc 2 3 1\n call f, (); ret; }\n" + kFiles), "k",
        ptx::Opcode::call);
  };
  CHECK(calls(".func f() { .loc 1 7 1\n bar.sync 0; ret; }\n") == 0);
  CHECK(calls(".func f() { .loc 2 7 1\n bar.sync 0; ret; }\n") == 1);
  CHECK(calls(".func f() { .loc 1 7 1\n LOOP: bar.sync 0; bra LOOP; ret; }\n") == 1);
  CHECK(calls(".func f() { .loc 1 7 1\n .reg .pred %p<2>; @%p1 ret; bar.sync 0; ret; }\n") == 1);
  CHECK(calls(".func f() { .loc 1 7 1\n .local .b32 own; bar.sync 0; ret; }\n") == 1);
  CHECK(calls(".func f() { .loc 1 7 1\n call f, (); ret; }\n") == 1);
}
