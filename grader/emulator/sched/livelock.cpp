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
  }
  ~LivelockProbe() {
    block_.probed = nullptr;
    for (WarpState& state : block_.state) state.slice = kTimeSlice;
  }
  LivelockProbe(const LivelockProbe&) = delete;

  Livelock run() {
    for (Warp& warp : block_.warp) {
      if (state_of(warp).runnable == 0) continue;
      run_warp(warp);
    }
    if (!unfinished_.left.empty()) return Livelock::no;
    return unfinished_.on_any_memory ? Livelock::for_other_blocks : Livelock::for_nobody;
  }

 private:
  BlockRun& block_;
  LoopIterations unfinished_;
};

}  // namespace

Livelock find_livelock(BlockRun& block) {
  // Twice: the first iteration may complete copies that an mbarrier waits for.
  if (LivelockProbe(block).run() == Livelock::no) return Livelock::no;
  return LivelockProbe(block).run();
}

void note_iteration(Warp& warp, const DecodedInstruction* at, SpinLoop loop) {
  if (loop != SpinLoop::on_shared_memory && loop != SpinLoop::on_any_memory) return;
  WarpState& state = state_of(warp);
  LoopIterations& iterations = *state.run->probed;
  const auto same = [&](const LoopIterations::Unfinished& each) {
    return each.warp == &state && each.mask == warp.active && each.at == at;
  };
  if (std::erase_if(iterations.left, same) != 0) iterations.on_any_memory |= loop == SpinLoop::on_any_memory;
}

}  // namespace warpgrade::emulator
