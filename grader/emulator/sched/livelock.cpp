#include "sched/livelock.hpp"

#include <algorithm>

namespace warpgrade::emulator {
namespace {

// RAII: gives every runnable group one loop iteration, and restores time slices on exit, including on Trap.
class LivelockProbe {
 public:
  explicit LivelockProbe(BlockRun& block) : block_(block) {
    for (WarpState& state : block.state) {
      state.slice = 0;
      for (std::uint32_t g = 0; g < state.groups; ++g)
        if (state.group[g].state == Group::State::runnable)
          unfinished_.left.push_back({&state, state.group[g].mask, state.group[g].at});
    }
    block.probed = &unfinished_;
    block.atomics_changed = &unfinished_.changed;
  }
  ~LivelockProbe() {
    block_.probed = nullptr;
    block_.atomics_changed = nullptr;
    for (WarpState& state : block_.state) state.slice = kTimeSlice;
  }
  LivelockProbe(const LivelockProbe&) = delete;

  Livelock run() {
    for (Warp& warp : block_.warp) {
      if (state_of(warp).runnable == 0) continue;
      run_warp(warp);
    }
    if (!unfinished_.left.empty() || unfinished_.acted || unfinished_.changed) return Livelock::no;
    return unfinished_.on_any_memory ? Livelock::for_other_blocks : Livelock::for_nobody;
  }

  bool carries() const { return unfinished_.carries; }

 private:
  BlockRun& block_;
  LoopIterations unfinished_;
};

// A copy of the registers of all warps in the kernel's own function.
std::vector<std::byte> registers_of(const BlockRun& block) {
  std::vector<std::byte> all;
  for (const WarpState& state : block.state)
    all.insert(all.end(), state.root.frame, state.root.frame + block.code->functions[0].frame.bytes);
  return all;
}

bool calls_functions(const BlockRun& block) {
  return std::any_of(block.state.begin(), block.state.end(), [](const WarpState& state) {
    return std::any_of(state.group, state.group + state.groups,
                       [](const Group& group) { return group.top->depth != 0; });
  });
}

}  // namespace

// Runs the probe twice, because the first iteration may complete copies that an mbarrier waits for, and it
// overwrites temporary registers. Registers are compared only if the first iteration ran a loop that carries
// values to its next iteration: such loops are rare, and the copy is as large as all registers of the block.
Livelock find_livelock(BlockRun& block) {
  bool carries = false;
  {
    LivelockProbe first(block);
    if (first.run() == Livelock::no) return Livelock::no;
    carries = first.carries();
  }
  LivelockProbe second(block);
  std::vector<std::byte> before;
  if (carries) before = registers_of(block);
  const Livelock found = second.run();
  if (second.carries() && (!carries || calls_functions(block) || registers_of(block) != before))
    return Livelock::no;
  return found;
}

void note_iteration(Warp& warp, const DecodedInstruction* at, SpinLoop loop, bool carries) {
  if (loop != SpinLoop::on_shared_memory && loop != SpinLoop::on_any_memory) return;
  WarpState& state = state_of(warp);
  LoopIterations& iterations = *state.run->probed;
  const auto same = [&](const LoopIterations::Unfinished& each) {
    return each.warp == &state && each.mask == warp.active && each.at == at;
  };
  if (std::erase_if(iterations.left, same) == 0) return;
  iterations.on_any_memory |= loop == SpinLoop::on_any_memory;
  iterations.carries |= carries;
}

}  // namespace warpgrade::emulator
