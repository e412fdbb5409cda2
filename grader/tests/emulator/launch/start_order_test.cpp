// Blocks in turns begin in an order that CUDA allows and that no kernel may be surprised by.
#include <string>

#include "tests/emulator/support/kernel_run.hpp"
#include "tests/emulator/support/kernel_stage.hpp"

namespace {

using stage::emulator::FindingKind;
using stage::emulator::KernelRun;
using stage::emulator::LaunchStatus;

constexpr int kBlocks = 6, kValue = 7;

// Launches the kernel once as usual and once with its blocks in turns.
LaunchStatus in_turns(KernelRun& run, const std::string& kernel, unsigned blocks) {
  for (const bool turns : {false, true}) {
    run.options.in_turns = turns;
    const std::uint64_t out = run.buffer(std::vector<int>(1 + blocks));
    run.launch(kernel, {blocks}, {64}, out, kValue);
    if (run.result.status != LaunchStatus::success) return run.result.status;
    for (std::uint32_t b = 1; b <= blocks; ++b) CHECK(run.read<int>(out, 1 + blocks)[b] == kValue);
  }
  return LaunchStatus::success;
}

}  // namespace

TEST_CASE("a block that waits for one with a smaller index is found, also where all blocks would fit") {
  KernelRun run("exec_waiting");
  for (const unsigned blocks : {2U, 6U, 200U}) {
    CAPTURE(blocks);
    CHECK(in_turns(run, "chain_by_index", blocks) == LaunchStatus::launch_timeout);
    CHECK(run.options.in_turns);  // the usual order shows nothing
    REQUIRE(run.result.findings.size() == 1);
    CHECK(run.result.findings[0].kind == FindingKind::barrier_deadlock);
    CHECK(run.result.findings[0].is_of_block_order);
    CHECK(run.result.findings[0].site.block.x == 1);
  }
}

TEST_CASE("a block that draws its number may wait for those that have drawn before") {
  KernelRun run("exec_waiting");
  for (const unsigned blocks : {1U, 2U, 6U, 200U}) {
    CAPTURE(blocks);
    CHECK(in_turns(run, "chain_by_ticket", blocks) == LaunchStatus::success);
  }
}

TEST_CASE("blocks that all wait for one another are allowed to where all of them fit") {
  KernelRun run("exec_waiting");
  CHECK(in_turns(run, "meet", kBlocks) == LaunchStatus::success);
}

TEST_CASE("a kernel that takes turns by a lock does not depend on the order") {
  KernelRun run("exec_waiting");
  for (const bool turns : {false, true}) {
    run.options.in_turns = turns;
    const std::uint64_t out = run.buffer(std::vector<int>(64 * kBlocks));
    run.launch("spin_lock", {kBlocks}, {64}, out, 1);
    CHECK(run.result.status == LaunchStatus::success);
  }
}
