#include "launch/livelock_report.hpp"

#include <bit>
#include <cstring>
#include <string>

#include "findings/shared_variables.hpp"
#include "machine/program.hpp"
#include "ops/mbarrier.hpp"
#include "ops/memory/resolve.hpp"

namespace warpgrade::emulator {
namespace {

// The instruction by which a loop tests what it waits for.
struct PollInstruction {
  const DecodedInstruction* at = nullptr;
  const ptx::Instruction* ptx = nullptr;
};

// The first such instruction of the loop that begins here.
PollInstruction find_poll(const BlockRun& block, const DecodedInstruction* header, ptx::Opcode opcode) {
  constexpr std::ptrdiff_t kFar = 200;  // instructions: such loops are short
  const DecodedInstruction* end = block.code->instructions.data() + block.code->instructions.size();
  for (const DecodedInstruction* at = header; at != end && at - header < kFar; ++at) {
    const ptx::Instruction* ptx = block.program->origin(at->index).ptx;
    if (ptx != nullptr && ptx->opcode == opcode && !ptx->has(ptx::Modifier::param)) return {at, ptx};
  }
  return {};
}

std::string number(std::uint32_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// "the mbarrier at byte 8 of shared array full, for 1 of 64 arrivals and 512 bytes"
std::string missing_at(const Warp& warp, const DecodedInstruction* test) {
  std::uint64_t address[kWarpSize];
  read_addresses(warp, test, form_of(test), address);
  std::uint64_t offset = address[std::countr_zero(warp.active)];
  if (offset - kSharedWindow < kWindowBytes) offset -= kSharedWindow;
  const BlockRun& block = *state_of(warp).run;
  if (offset + sizeof(std::uint64_t) > block.shared_bytes) return "an mbarrier";
  std::uint64_t word = 0;
  std::memcpy(&word, block.shared + offset, sizeof word);
  const MemoryBarrier barrier = MemoryBarrier::of(word);
  const SharedRange in = shared_variable_at(block, offset);
  std::string text = "the mbarrier at byte " + std::to_string(offset - in.begin) + " of " + in.name +
                     ", for " + std::to_string(barrier.pending) + " of " +
                     number(barrier.expected, "arrival");
  if (barrier.transactions != 0) text += " and " + std::to_string(barrier.transactions) + " bytes of copies";
  return text;
}

std::uint32_t waiting_threads(const BlockRun& block) {
  std::uint32_t count = 0;
  for (const WarpState& state : block.state)
    for (std::uint32_t g = 0; g < state.groups; ++g)
      count += static_cast<std::uint32_t>(std::popcount(state.group[g].mask));
  return count;
}

}  // namespace

void report_livelock(BlockRun& block, bool host_may_write) {
  for (Warp& warp : block.warp) {
    WarpState& state = state_of(warp);
    if (state.runnable == 0) continue;
    const DecodedInstruction* header = next_group(warp);
    const PollInstruction barrier = find_poll(block, header, ptx::Opcode::mbarrier),
                          load = find_poll(block, header, ptx::Opcode::ld);
    const std::string who = "No thread of the block can go on: of its " +
                            number(waiting_threads(block) + std::popcount(warp.active), "thread") +
                            " that have not returned, ";
    const std::string some = std::to_string(std::popcount(warp.active));
    const std::string host = host_may_write ? ": the host goes on when the kernel has ended" : "";
    Finding finding =
        barrier.at != nullptr
            ? finding_at(warp, barrier.at, Check::barrier, FindingKind::barrier_deadlock,
                         who + some + " wait at " + missing_at(warp, barrier.at) +
                             ", which no thread is left to bring")
            : finding_at(warp, load.at != nullptr ? load.at : header, Check::barrier,
                         FindingKind::barrier_deadlock,
                         who + some +
                             " read the same value again and again, and nobody is left to change it" + host);
    suspend_group(warp, header, Group::State::runnable);
    finding.standing = thread_positions(block);
    warp.active = state.group[state.groups - 1].mask;
    fail(warp, std::move(finding), LaunchStatus::launch_timeout);
  }
  throw Trap{LaunchStatus::launch_timeout};
}

}  // namespace warpgrade::emulator
