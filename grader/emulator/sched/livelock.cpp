#include "sched/livelock.hpp"

#include <algorithm>

namespace warpgrade::emulator {
namespace {

// RAII: gives every runnable group one loop iteration, and restores time slices on exit, including on Trap.
class Looking {
 public:
  explicit Looking(BlockRun& block) : block_(block) {
    for (WarpState& state : block.state) {
      state.slice = 0;
      for (std::uint32_t g = 0; g < state.groups; ++g)
        if (state.group[g].state == Group::State::runnable)
          turns_.left.push_back({&state, state.group[g].mask, state.group[g].at});
    }
    block.turns = &turns_;
  }
  ~Looking() {
    block_.turns = nullptr;
    for (WarpState& state : block_.state) state.slice = kTimeSlice;
  }
  Looking(const Looking&) = delete;

  Waits run() {
    for (Warp& warp : block_.warp) {
      if (state_of(warp).runnable == 0) continue;
      run_warp(warp);
    }
    if (!turns_.left.empty()) return Waits::no;
    return turns_.on_any_memory ? Waits::for_other_blocks : Waits::for_nobody;
  }

 private:
  BlockRun& block_;
  Turns turns_;
};

}  // namespace

Waits look_for_waits(BlockRun& block) {
  // Twice: the first iteration may complete copies that an mbarrier waits for.
  if (Looking(block).run() == Waits::no) return Waits::no;
  return Looking(block).run();
}

void note_turn(Warp& warp, const Instruction* at, SpinLoop loop) {
  if (loop != SpinLoop::on_shared_memory && loop != SpinLoop::on_any_memory) return;
  WarpState& state = state_of(warp);
  Turns& turns = *state.run->turns;
  const auto same = [&](const Turns::Turn& each) {
    return each.warp == &state && each.mask == warp.active && each.at == at;
  };
  if (std::erase_if(turns.left, same) != 0) turns.on_any_memory |= loop == SpinLoop::on_any_memory;
}

}  // namespace warpgrade::emulator
