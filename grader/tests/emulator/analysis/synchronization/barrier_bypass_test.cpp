// Which branches lead past a barrier, and where paths come together.
#include "analysis/synchronization/barrier_bypass.hpp"

#include <doctest/doctest.h>

#include <string>

#include "analysis/flow/post_dominators.hpp"
#include "ptx/parser/parser.hpp"

using namespace warpgrade;

namespace {

ptx::Function parse(const std::string& body) {
  const ptx::Module module = ptx::parse(
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .pred %p<9>; "
      ".reg .b32 %r<9>;\n" +
      body + "\n}");
  return module.functions[0];
}

std::vector<emulator::BypassBranch> watched(const std::string& body) {
  const ptx::Function function = parse(body);
  return emulator::find_barrier_bypasses(function, emulator::build_control_flow(function));
}

std::vector<emulator::BypassBranch> skipping(const std::string& body) {
  const ptx::Function function = parse(body);
  return emulator::find_collective_bypasses(function, emulator::build_control_flow(function));
}

}  // namespace

TEST_CASE("post-dominators") {
  const ptx::Function function = parse(R"(
    @%p1 bra right;
    mov.u32 %r1, 1;
    bra meet;
  right: mov.u32 %r1, 2;
    @%p2 bra gone;
  meet: mov.u32 %r2, 3;
  gone: ret;)");
  const emulator::ControlFlow flow = emulator::build_control_flow(function);
  const std::vector<std::uint32_t> meets = emulator::find_post_dominators(flow);
  const std::uint32_t meet = flow.block_of[function.labels.at("meet")],
                      gone = flow.block_of[function.labels.at("gone")];
  CHECK(meets[0] == gone);
  CHECK(meets[1] == meet);
  CHECK(meets[flow.block_of[function.labels.at("right")]] == gone);
  CHECK(meets[gone] == emulator::kNoPostDominator);
}

TEST_CASE("blocks that never end have no post-dominator") {
  const ptx::Function function = parse("@%p1 bra on; again: mov.u32 %r1, 1; bra again; on: ret;");
  const emulator::ControlFlow flow = emulator::build_control_flow(function);
  CHECK(emulator::find_post_dominators(flow)[1] == emulator::kNoPostDominator);
}

TEST_CASE("a barrier under a condition") {
  const auto found = watched("@%p1 bra past; bar.sync 0; past: mov.u32 %r1, 1; mov.u32 %r2, 1; ret;");
  REQUIRE(found.size() == 1);
  CHECK(found[0].instruction == 0);
  CHECK(found[0].taken_passes);
  CHECK(found[0].barriers == std::vector<std::uint32_t>{1});
}

TEST_CASE("a loop with a barrier: leaving it passes by") {
  const auto found = watched("again: bar.sync 0; @%p1 bra again; mov.u32 %r1, 1; ret;");
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].taken_passes);
}

TEST_CASE("an early return is no passing by") {
  CHECK(watched("@%p1 bra end; bar.sync 0; mov.u32 %r1, 1; end: ret;").empty());
}

TEST_CASE("leaving a loop with a barrier for the kernel's end is a case of its own") {
  const auto found = watched("again: bar.sync 0; mov.u32 %r1, 1; @%p1 bra again; ret;");
  REQUIRE(found.size() == 1);
  CHECK(found[0].leaves_loop);
  CHECK_FALSE(found[0].taken_passes);
  const auto jumps = watched("again: @%p1 bra end; bar.sync 0; mov.u32 %r1, 1; bra again; end: ret;");
  REQUIRE(jumps.size() == 1);
  CHECK(jumps[0].taken_passes);
  CHECK(watched("@%p1 bra end; again: mov.u32 %r1, 1; @%p2 bra again; bar.sync 0; end: ret;").empty());
}

TEST_CASE("barriers on both sides, named ones and counted ones are not watched") {
  CHECK(watched("@%p1 bra b; bar.sync 0; bra on; b: bar.sync 0; on: mov.u32 %r1, 1; ret;").empty());
  CHECK(watched("@%p1 bra on; bar.sync 1; on: mov.u32 %r1, 1; ret;").empty());
  CHECK(watched("@%p1 bra on; bar.sync 0, 64; on: mov.u32 %r1, 1; ret;").empty());
}

TEST_CASE("a barrier that need not be aligned is one of the whole block all the same") {
  CHECK(watched("@%p1 bra on; barrier.sync 0; on: mov.u32 %r1, 1; ret;").size() == 1);
  CHECK(watched("@%p1 bra on; barrier.sync 1; on: mov.u32 %r1, 1; ret;").empty());
}

TEST_CASE("branches round a warp operation of all lanes") {
  const std::string behind = " past: mov.u32 %r1, 1; mov.u32 %r2, 1; ret;";
  const std::string shuffle = "shfl.sync.down.b32 %r3|%p2, %r3, 8, 31, ";
  CHECK(skipping("@%p1 bra past; " + shuffle + "-1;" + behind).size() == 1);
  CHECK(skipping("mov.u32 %r5, -1; @%p1 bra past; " + shuffle + "%r5;" + behind).size() == 1);
  CHECK(skipping("@%p1 bra past; bar.warp.sync -1;" + behind).size() == 1);
  CHECK(skipping("@%p1 bra past; " + shuffle + "255;" + behind).empty());
  CHECK(skipping("@%p1 bra past; " + shuffle + "%r5;" + behind).empty());
  CHECK(skipping("mov.u32 %r5, -1; mov.u32 %r5, 15; @%p1 bra past; " + shuffle + "%r5;" + behind).empty());
  CHECK(skipping("@%p1 bra end; " + shuffle + "-1; end: ret;").empty());  // an early return
  CHECK(skipping("@%p1 bra b; " + shuffle + "-1; bra past; b: " + shuffle + "-1;" + behind).empty());
}
