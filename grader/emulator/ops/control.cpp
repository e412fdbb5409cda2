#include "ops/control.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "machine/launch.hpp"
#include "machine/observers.hpp"
#include "ops/collective.hpp"
#include "ops/undefined_shuffle.hpp"
#include "sched/active_mask_guard.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator::control {
namespace {

const DecodedInstruction* target_of(const DecodedInstruction* at) {
  return reinterpret_cast<const DecodedInstruction*>(at->immediate);
}

// Called after every jump: other groups of the warp may wait at the target or have precedence.
inline const DecodedInstruction* arrive(Warp& warp, WarpState& state, const DecodedInstruction* to) {
  return state.runnable == 0 ? to : reconverge(warp, to);
}

inline const DecodedInstruction* turn(Warp& warp, WarpState& state, const DecodedInstruction* at,
                                      const DecodedInstruction* to) {
  state.steps += at->operand[0];
  state.slice -= at->operand[1];
  if (state.slice < 0) return expire_slice(warp, at, to);
  return arrive(warp, state, to);
}

void count_divergence(const WarpState& state, const DecodedInstruction* at) {
  if (state.run->counts) ++state.run->counts->divergent[state.run->code->position(at)];
}

const DecodedInstruction* diverge(Warp& warp, WarpState& state, const DecodedInstruction* at,
                                  std::uint32_t taken) {
  count_divergence(state, at);
  return diverge(warp, taken, target_of(at), at + 1);
}

template <bool kNegated, bool kBackward>
const DecodedInstruction* branch(Warp& warp, const DecodedInstruction* at) {
  WarpState& state = state_of(warp);
  const std::uint32_t guard = warp.mask(at->guard);
  const std::uint32_t taken = warp.active & (kNegated ? ~guard : guard);
  if (taken == 0) return arrive(warp, state, at + 1);
  if (taken == warp.active) {
    return kBackward ? turn(warp, state, at, target_of(at)) : arrive(warp, state, target_of(at));
  }
  if (kBackward) {
    state.steps += at->operand[0];
    state.slice -= at->operand[1];
    if (state.slice < 0) {  // used up by the lanes that jump back
      const std::uint32_t stay = warp.active & ~taken;
      count_divergence(state, at);
      split_group(warp, stay, at + 1);
      return expire_slice(warp, at, target_of(at));
    }
  }
  return diverge(warp, state, at, taken);
}

template <bool kNegated>
const DecodedInstruction* run_guarded(Warp& warp, const DecodedInstruction* at) {
  const std::uint32_t guard = warp.mask(at->guard);
  const std::uint32_t selected = warp.active & (kNegated ? ~guard : guard);
  if (selected == 0) return at + 1;
  const ActiveMaskGuard narrowed(warp, selected);
  at->body(warp, at);
  return at + 1;
}

template <bool kNegated>
const DecodedInstruction* count_guarded(Warp& warp, const DecodedInstruction* at) {
  const std::uint32_t guard = warp.mask(at->guard);
  const std::uint32_t selected = warp.active & (kNegated ? ~guard : guard);
  state_of(warp).run->counts->guards[at->immediate] += static_cast<std::uint64_t>(std::popcount(selected));
  return at + 1;
}

}  // namespace

const DecodedInstruction* jump(Warp& warp, const DecodedInstruction* at) {
  return arrive(warp, state_of(warp), target_of(at));
}
const DecodedInstruction* jump_back(Warp& warp, const DecodedInstruction* at) {
  return turn(warp, state_of(warp), at, target_of(at));
}
const DecodedInstruction* branch_if(Warp& warp, const DecodedInstruction* at) {
  return branch<false, false>(warp, at);
}
const DecodedInstruction* branch_if_back(Warp& warp, const DecodedInstruction* at) {
  return branch<false, true>(warp, at);
}
const DecodedInstruction* branch_unless(Warp& warp, const DecodedInstruction* at) {
  return branch<true, false>(warp, at);
}
const DecodedInstruction* branch_unless_back(Warp& warp, const DecodedInstruction* at) {
  return branch<true, true>(warp, at);
}

// Running lanes that a bypass branch leads past a barrier or warp operation.
static std::uint32_t passing_lanes(const Warp& warp, const DecodedInstruction* at) {
  const std::uint32_t guard = warp.mask(at->guard);
  const std::uint32_t jump = warp.active & (at->operand[5] ? ~guard : guard);
  return at->operand[4] ? jump : warp.active & ~jump;
}

const DecodedInstruction* skipping_branch(Warp& warp, const DecodedInstruction* at) {
  BlockRun& run = *state_of(warp).run;
  const std::uint32_t passing = passing_lanes(warp, at);
  std::uint32_t& skipped = run.skipped[at->operand[3] * run.warps + warp.index];
  skipped = (skipped & ~warp.active) | (passing != warp.active ? passing : 0);
  return at->body(warp, at);
}

const DecodedInstruction* watched_branch(Warp& warp, const DecodedInstruction* at) {
  const std::uint32_t passing = passing_lanes(warp, at);
  if (passing != 0) {
    BlockRun& run = *state_of(warp).run;
    run.passed[at->operand[3] * run.warps + warp.index] |= passing;
    run.any_passed = true;
  }
  return at->body(warp, at);
}

// Lanes with the first lane's index continue; the others execute this instruction again. An index beyond the
// list is undefined behaviour; it selects the last target.
const DecodedInstruction* jump_table(Warp& warp, const DecodedInstruction* at) {
  WarpState& state = state_of(warp);
  const auto& table = *reinterpret_cast<const JumpTable*>(at->immediate);
  const std::uint32_t* index = warp.lanes<std::uint32_t>(at->operand[2]);
  const std::uint32_t first = index[std::countr_zero(warp.active)];
  std::uint32_t same = 0;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane)
    same |= static_cast<std::uint32_t>(index[lane] == first) << lane;
  const std::uint32_t others = warp.active & ~same;
  if (others) {
    count_divergence(state, at);
    split_group(warp, others, at);
  }
  const std::size_t last = table.target.size() - 1;
  const DecodedInstruction* to = table.target[std::min<std::size_t>(first, last)];
  return at->operand[0] ? turn(warp, state, at, to) : arrive(warp, state, to);
}

const DecodedInstruction* exit(Warp& warp, const DecodedInstruction*) {
  WarpState& state = state_of(warp);
  BlockRun& run = *state.run;
  run.progressed = true;
  run.alive_threads -= static_cast<std::uint32_t>(std::popcount(warp.active));
  warp.alive &= ~warp.active;
  warp.active = 0;
  release(state, state.top);
  const bool others_wait = state.groups > state.runnable;
  if (others_wait) complete_collectives(warp);
  if (run.open_barriers > 0) check_barriers(run);
  const DecodedInstruction* next = next_group(warp);
  return others_wait ? follow_undefined(warp, next) : next;
}

// Cooperative groups read the address of the grid's barrier from these registers, and trap if it is 0.
static bool looks_for_grid_barrier(const Code& code) {
  return std::any_of(code.functions.begin(), code.functions.end(), [](const CodeFunction& function) {
    const auto& read = function.frame.specials;
    return std::any_of(read.begin(), read.end(), [](const FrameLayout::SpecialSlot& each) {
      return each.special == Special::envreg1 || each.special == Special::envreg2;
    });
  });
}

const DecodedInstruction* trap(Warp& warp, const DecodedInstruction* at) {
  std::string message = "The kernel executed __trap().";
  if (!warp.block->launch->cooperative && looks_for_grid_barrier(*state_of(warp).run->code))
    message +=
        " Its code looks for the barrier of the whole grid, which a launch with <<<>>> does not have: "
        "cudaLaunchCooperativeKernel() gives it.";
  fail(warp, finding_at(warp, at, FindingKind::trap, message), LaunchStatus::launch_failure);
}

const DecodedInstruction* unsupported(Warp& warp, const DecodedInstruction* at) {
  fail(warp,
       finding_at(warp, at, FindingKind::unsupported_instruction,
                  *reinterpret_cast<const std::string*>(at->immediate)),
       LaunchStatus::not_supported);
}

// nanosleep gives other warps time: it uses up one eighth of a slice.
const DecodedInstruction* nanosleep(Warp& warp, const DecodedInstruction* at) {
  state_of(warp).slice -= kTimeSlice / 8;
  return at + 1;
}

const DecodedInstruction* nothing(Warp&, const DecodedInstruction* at) { return at + 1; }

const DecodedInstruction* guarded(Warp& warp, const DecodedInstruction* at) {
  return run_guarded<false>(warp, at);
}
const DecodedInstruction* guarded_not(Warp& warp, const DecodedInstruction* at) {
  return run_guarded<true>(warp, at);
}

const DecodedInstruction* join(Warp& warp, const DecodedInstruction* at) {
  return arrive(warp, state_of(warp), at + 1);
}

const DecodedInstruction* join_back(Warp& warp, const DecodedInstruction* at) {
  return turn(warp, state_of(warp), at, at + 1);
}

const DecodedInstruction* count_block(Warp& warp, const DecodedInstruction* at) {
  BlockRun& run = *state_of(warp).run;
  run.executed += at->operand[0];
  InstructionCounts::LaneCount& entry = run.counts->blocks[at->immediate];
  ++entry.executions;
  // The full mask is tested first, because baseline x86-64 has no popcnt: std::popcount is a call there.
  entry.lanes += warp.active == kFullMask ? kWarpSize : static_cast<unsigned>(std::popcount(warp.active));
  return at + 1;
}

const DecodedInstruction* count_guard(Warp& warp, const DecodedInstruction* at) {
  return count_guarded<false>(warp, at);
}
const DecodedInstruction* count_guard_not(Warp& warp, const DecodedInstruction* at) {
  return count_guarded<true>(warp, at);
}

const DecodedInstruction* stack_address(Warp& warp, const DecodedInstruction* at) {
  std::uint64_t* to = warp.lanes<std::uint64_t>(at->operand[0]);
  const std::uint64_t* base = warp.lanes<std::uint64_t>(at->operand[1]);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (warp.active >> lane & 1) to[lane] = base[lane] + at->immediate;
  }
  return at + 1;
}

namespace {

// Clocks count progress instead of time: they always advance, and are the same on each run.
std::uint64_t read_progress(Warp& warp) {
  BlockRun& run = *state_of(warp).run;
  return 1000 + run.steps + state_of(warp).steps + 32ull * ++run.clock_reads;
}

template <class Value>
const DecodedInstruction* store_clock(Warp& warp, const DecodedInstruction* at) {
  const auto now = static_cast<Value>(read_progress(warp) >> at->immediate);
  Value* to = warp.lanes<Value>(at->operand[0]);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (warp.active >> lane & 1) to[lane] = now;
  }
  return at + 1;
}

}  // namespace

const DecodedInstruction* read_clock(Warp& warp, const DecodedInstruction* at) {
  return store_clock<std::uint32_t>(warp, at);
}

const DecodedInstruction* read_clock64(Warp& warp, const DecodedInstruction* at) {
  return store_clock<std::uint64_t>(warp, at);
}

const DecodedInstruction* active_mask(Warp& warp, const DecodedInstruction* at) {
  std::uint32_t* to = warp.lanes<std::uint32_t>(at->operand[0]);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (warp.active >> lane & 1) to[lane] = warp.active;
  }
  return at + 1;
}

const DecodedInstruction* fence(Warp& warp, const DecodedInstruction* at) {
  const auto scope = static_cast<ptx::Space>(at->immediate);
  if (scope == ptx::Space::global) std::atomic_thread_fence(std::memory_order_seq_cst);
  warp.block->observers->fence(warp, scope);
  return at + 1;
}

// Orders the accesses of one thread through two proxies; it orders no thread after another one.
const DecodedInstruction* proxy_fence(Warp& warp, const DecodedInstruction* at) {
  warp.block->observers->proxy_fence(warp);
  return at + 1;
}

}  // namespace warpgrade::emulator::control
