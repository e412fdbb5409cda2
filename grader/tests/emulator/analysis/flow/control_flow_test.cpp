// Blocks, loops and the order in which diverged lanes run.
#include "analysis/flow/control_flow.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ptx/parser/parser.hpp"

using namespace warpgrade;

namespace {

ptx::Function parse(const std::string& body) {
  const ptx::Module module = ptx::parse(
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .pred %p<9>; "
      ".reg .b32 %r<9>; "
      ".reg .b64 %rd<9>;\n" +
      body + "\n}");
  return module.functions[0];
}

// Order of the block that a label leads.
std::uint32_t order(const ptx::Function& function, const emulator::ControlFlow& flow, const char* label) {
  return flow.blocks[flow.block_of[function.labels.at(label)]].order;
}

}  // namespace

TEST_CASE("straight code is one block") {
  const ptx::Function function = parse("mov.u32 %r1, 1; add.u32 %r2, %r1, 1; ret;");
  const emulator::ControlFlow flow = emulator::build_control_flow(function);
  REQUIRE(flow.blocks.size() == 1);
  CHECK(flow.blocks[0].end == 3);
  CHECK(flow.blocks[0].successors.empty());
  CHECK(flow.loops.empty());
}

TEST_CASE("both sides of a choice come before the place where they meet, wherever it stands") {
  const ptx::Function function = parse(R"(
    @%p1 bra cold;
  meet: mov.u32 %r1, 2;
    ret;
  cold: mov.u32 %r1, 3;
    bra meet;)");
  const emulator::ControlFlow flow = emulator::build_control_flow(function);
  CHECK(order(function, flow, "cold") < order(function, flow, "meet"));
}

TEST_CASE("all blocks of a loop come before the code after it") {
  const ptx::Function function = parse(R"(
  outer: mov.u32 %r1, 2;
  inner: add.u32 %r1, %r1, 1;
    @%p1 bra out;
    @%p2 bra inner;
    @%p3 bra outer;
  out: ret;
  )");
  const emulator::ControlFlow flow = emulator::build_control_flow(function);
  REQUIRE(flow.loops.size() == 2);
  CHECK(flow.loops[0].parent == -1);
  CHECK(flow.loops[1].parent == 0);
  for (const emulator::BasicBlock& block : flow.blocks) {
    if (block.loop >= 0) CHECK(block.order < order(function, flow, "out"));
  }
  const std::uint32_t inner = flow.block_of[function.labels.at("inner")];
  const std::uint32_t outer = flow.block_of[function.labels.at("outer")];
  CHECK(flow.loop_of_edge(inner + 1, inner) == 1);
  CHECK(flow.loop_of_edge(inner + 2, outer) == 0);
  CHECK(flow.loop_of_edge(outer, inner) == -1);
  CHECK(flow.loops[1].instructions == 3);
}

TEST_CASE("a loop with two entries is ordered too") {
  const ptx::Function function = parse(R"(
    @%p1 bra second;
  first: @%p2 bra done;
  second: @%p3 bra first;
  done: ret;)");
  const emulator::ControlFlow flow = emulator::build_control_flow(function);
  REQUIRE(flow.loops.size() == 1);
  std::vector<bool> seen(flow.blocks.size(), false);
  for (const emulator::BasicBlock& block : flow.blocks) {
    REQUIRE(block.order < seen.size());
    CHECK_FALSE(seen[block.order]);
    seen[block.order] = true;
  }
  CHECK(order(function, flow, "done") == flow.blocks.size() - 1);
}

TEST_CASE("a loop waits where a branch in it depends on what others do") {
  auto waits = [](const std::string& body) {
    const emulator::ControlFlow flow =
        emulator::build_control_flow(parse(body + "\n setp.eq.u32 %p1, %r2, 0; @%p1 bra again; ret;"));
    REQUIRE(flow.loops.size() == 1);
    return flow.loops[0].waits;
  };
  CHECK(waits("again: atom.global.cas.b32 %r1, [%rd1], 0, 1; add.u32 %r2, %r1, 1;"));
  CHECK(waits("again: ld.volatile.shared.u32 %r2, [%r5];"));
  CHECK(waits("again: ld.acquire.gpu.u32 %r2, [%rd1];"));
  CHECK(waits("again: membar.gl; ld.global.u32 %r2, [%rd1];"));
  CHECK_FALSE(waits("again: ld.global.u32 %r2, [%rd1];"));
  CHECK_FALSE(waits("again: atom.global.add.u32 %r1, [%rd1], 1; add.u32 %r2, %r2, 1;"));
}

TEST_CASE(
    "a loop polls where it writes nothing and looks at what others hand over, also where it looks at the "
    "clock") {
  const auto polls = [](const std::string& body) {
    const emulator::ControlFlow flow =
        emulator::build_control_flow(parse(body + "\n setp.eq.u32 %p1, %r2, 0; @%p1 bra again; ret;"));
    REQUIRE(flow.loops.size() == 1);
    return flow.loops[0].polls;
  };
  CHECK(polls("again: ld.volatile.shared.u32 %r2, [%r5];"));
  CHECK(polls("again: add.u32 %r1, %r1, 1; mov.u32 %r3, %clock; ld.acquire.cta.u32 %r2, [%rd1];"));
  CHECK(polls("again: mbarrier.test_wait.shared.b64 %p2, [%r5], %rd1; selp.u32 %r2, 1, 0, %p2;"));
  CHECK_FALSE(polls("again: membar.gl; ld.global.u32 %r2, [%rd1];"));
  CHECK_FALSE(polls("again: atom.global.cas.b32 %r2, [%rd1], 0, 1;"));
  CHECK_FALSE(polls("again: ld.volatile.shared.u32 %r2, [%r5]; st.global.u32 [%rd1], %r2;"));
}

TEST_CASE("deeply nested and very long code is taken in reasonable time") {
  std::string body;
  for (int i = 0; i < 3000; ++i) body += "L" + std::to_string(i) + ": add.u32 %r1, %r1, 1;\n";
  for (int i = 2999; i >= 0; --i) body += "@%p1 bra L" + std::to_string(i) + ";\n";
  const emulator::ControlFlow flow = emulator::build_control_flow(parse(body + "ret;"));
  CHECK(flow.blocks.size() == 6000);
  CHECK(flow.loops.size() >= 200);
}
