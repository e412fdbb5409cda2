#include "sched/scheduler.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "machine/observers.hpp"
#include "machine/program.hpp"
#include "machine/step_recorder.hpp"
#include "sched/livelock.hpp"

namespace warpgrade::emulator {
namespace {

bool same_stack(const CallFrame* a, const CallFrame* b) {
  for (; a != b; a = a->caller, b = b->caller) {
    if (!a || !b || a->depth != b->depth || a->resume != b->resume || a->frame != b->frame) return false;
  }
  return true;
}

// The order in which groups run: deeper calls first, because the callers wait for them; then by the rank of
// the position in the control flow.
struct Precedence {
  std::uint32_t depth = 0, rank = 0;
  bool before(const Precedence& other) const {
    return depth != other.depth ? depth > other.depth : rank < other.rank;
  }
};

Precedence precedence(const WarpState& state, const CallFrame* top, const DecodedInstruction* at) {
  return {top->depth, state.run->code->rank[state.run->code->position(at)]};
}

// Index of the runnable group that runs next; -1 if no group can run. Groups whose slice has expired count
// only if `slice_expired` is set.
std::int32_t find_best(const WarpState& state, bool slice_expired) {
  std::int32_t best = -1;
  Precedence first;
  for (std::uint32_t g = 0; g < state.groups; ++g) {
    const Group& group = state.group[g];
    if (group.state != Group::State::runnable || (group.slice_expired && !slice_expired)) continue;
    const Precedence candidate = precedence(state, group.top, group.at);
    if (best < 0 || candidate.before(first)) best = static_cast<std::int32_t>(g), first = candidate;
  }
  return best;
}

const DecodedInstruction* resume(Warp& warp, WarpState& state, std::uint32_t index) {
  // Loads field by field: a wide load of the group soon after suspend_group() stored its fields one by one
  // would stall the processor (no store forwarding).
  const Group& group = state.group[index];
  const DecodedInstruction* at = group.at;
  state.top = group.top;
  state.resumed = at;
  warp.frame = group.top->frame;
  warp.active = group.mask;
  remove_group(state, index);
  --state.runnable;
  return at;
}

// Reconvergence: merges the groups that wait at `at` in the same activation into the running group.
void merge_here(Warp& warp, WarpState& state, const DecodedInstruction* at) {
  for (std::uint32_t g = 0; g < state.groups;) {
    Group& group = state.group[g];
    if (group.state != Group::State::runnable || group.at != at || !same_stack(group.top, state.top)) {
      ++g;
      continue;
    }
    warp.active |= group.mask;
    release(state, group.top);
    remove_group(state, g);
    --state.runnable;
  }
}

// Whether a loop, from its first instruction to its jump back, executes nothing but jumps.
bool is_idle(const BlockRun& run, const DecodedInstruction* first, const DecodedInstruction* last) {
  return first <= last && std::all_of(first, last + 1, [&](const DecodedInstruction& each) {
           const ptx::Instruction* ptx = run.program->origin(each.index).ptx;
           return ptx != nullptr && ptx->opcode == ptx::Opcode::bra;
         });
}

void check_step_limit(Warp& warp, const DecodedInstruction* jump, const DecodedInstruction* at) {
  BlockRun& run = *state_of(warp).run;
  run.steps += state_of(warp).steps;
  state_of(warp).steps = 0;
  if (run.lowest_failed && run.lowest_failed->load(std::memory_order_relaxed) < run.linear) throw Abandoned{};
  const bool interrupted = run.interrupt && run.interrupt->load(std::memory_order_relaxed);
  const bool beyond = run.step_limit != 0 && run.steps > run.step_limit;
  if (!interrupted && !beyond) return;
  const std::string limit =
      interrupted ? "; a signal has ended it" : "; the limit is " + std::to_string(run.step_limit);
  Finding finding = finding_at(warp, at, FindingKind::step_limit,
                               "The block has executed " + std::to_string(run.steps) + " warp instructions" +
                                   limit + ". A loop may never end.");
  finding.is_idle_loop = is_idle(run, at, jump);
  finding.standing = thread_positions(run);
  fail(warp, std::move(finding), LaunchStatus::launch_timeout);
}

}  // namespace

void remove_group(WarpState& state, std::uint32_t index) {
  state.settled_below = 0;
  --state.groups;
  if (index != state.groups) state.group[index] = state.group[state.groups];
}

void release(WarpState& state, CallFrame* frame) {
  while (frame && --frame->references == 0) {
    CallFrame* caller = frame->caller;
    state.free.push_back(frame);
    frame = caller;
  }
}

namespace {

// The common case of two groups in one activation: they reconverge, or the one with precedence runs.
const DecodedInstruction* reconverge_two(Warp& warp, WarpState& state, const DecodedInstruction* at) {
  Group& other = state.group[0];
  if (other.at == at) {
    warp.active |= other.mask;
    release(state, other.top);
    state.groups = state.runnable = 0;
    return at;
  }
  const Code& code = *state.run->code;
  if (other.slice_expired || code.rank[code.position(other.at)] >= code.rank[code.position(at)]) return at;
  std::swap(warp.active, other.mask);
  const DecodedInstruction* next = other.at;
  other.at = other.waits_at = at;
  return next;
}

// Precondition: the running group has precedence. Computes the rank below which it keeps precedence.
void set_settled_rank(WarpState& state) {
  std::uint32_t lowest = kNoOperand;
  for (std::uint32_t g = 0; g < state.groups; ++g) {
    const Group& group = state.group[g];
    if (group.state != Group::State::runnable) continue;
    if (group.top != state.top) return;
    lowest = std::min(lowest, precedence(state, group.top, group.at).rank);
  }
  state.settled_top = state.top;
  state.settled_below = lowest;
}

}  // namespace

const DecodedInstruction* reconverge(Warp& warp, const DecodedInstruction* at) {
  WarpState& state = state_of(warp);
  if (state.run->scalar) return at;
  if (state.groups == 1 && state.runnable == 1 && state.group[0].top == state.top)
    return reconverge_two(warp, state, at);
  const Precedence running = precedence(state, state.top, at);
  if (running.rank < state.settled_below && state.top == state.settled_top) return at;
  merge_here(warp, state, at);
  const std::int32_t best = find_best(state, false);
  const bool others_first =
      best >= 0 && precedence(state, state.group[best].top, state.group[best].at).before(running);
  if (!others_first) {
    set_settled_rank(state);
    return at;
  }
  const auto index = static_cast<std::uint32_t>(best);
  suspend_group(warp, at, Group::State::runnable);
  const DecodedInstruction* next = resume(warp, state, index);
  merge_here(warp, state, next);
  return next;
}

const DecodedInstruction* next_group(Warp& warp) {
  WarpState& state = state_of(warp);
  if (state.runnable == 0) {
    warp.active = 0;
    return nullptr;
  }
  std::int32_t best = state.groups == 1 ? 0 : find_best(state, false);
  if (best < 0) {
    for (std::uint32_t g = 0; g < state.groups; ++g) state.group[g].slice_expired = false;
    best = find_best(state, true);
  }
  const DecodedInstruction* at = resume(warp, state, static_cast<std::uint32_t>(best));
  if (!state.run->scalar) merge_here(warp, state, at);
  return at;
}

Group& suspend_group(Warp& warp, const DecodedInstruction* at, Group::State how) {
  WarpState& state = state_of(warp);
  state.settled_below = 0;
  Group& group = state.group[state.groups++];
  group = {at, at, state.top, warp.active, how, false, 0};
  if (how == Group::State::runnable)
    ++state.runnable;
  else
    state.run->progressed = true;
  warp.active = 0;
  return group;
}

const DecodedInstruction* expire_slice(Warp& warp, const DecodedInstruction* jump,
                                       const DecodedInstruction* to) {
  WarpState& state = state_of(warp);
  BlockRun& run = *state.run;
  const bool spins = jump->operand[2] != 0, polls = jump->operand[1] == kPollCost;
  run.polled |= spins;
  // If the group is back at its resume point after one iteration, it only polled. Other spin loops may wait
  // for work that is done meanwhile.
  run.progressed |=
      !spins || (polls && (to != state.resumed || state.slice < kTimeSlice - std::int64_t{kPollCost}));
  state.slice = run.probed == nullptr ? kTimeSlice : 0;
  check_step_limit(warp, jump, to);
  if (run.probed != nullptr)
    note_iteration(warp, to, static_cast<SpinLoop>(jump->operand[6]), jump->operand[7] != 0);
  suspend_group(warp, to, Group::State::runnable).slice_expired = true;
  // Groups that reconverge and diverge again may wait for other warps without ever using up all their slices:
  // limit the number of slices.
  const bool others_first = ++state.slices >= kMaxSlices && run.probed == nullptr;
  if (!others_first && find_best(state, false) >= 0) return next_group(warp);
  return nullptr;  // each group has had its slice: other warps run
}

void split_group(Warp& warp, std::uint32_t mask, const DecodedInstruction* at) {
  WarpState& state = state_of(warp);
  state.settled_below = 0;
  state.group[state.groups++] = {at, at, state.top, mask, Group::State::runnable, false, 0};
  ++state.runnable;
  ++state.top->references;
  warp.active &= ~mask;
}

namespace {

// Adds `mask` to the group that waits at `at`, or creates it. Precondition: `state` is settled.
void wait_settled(WarpState& state, std::uint32_t mask, const DecodedInstruction* at, std::uint32_t rank) {
  state.settled_below = state.runnable == 0 ? rank : std::min(rank, state.settled_below);
  state.settled_top = state.top;
  for (std::uint32_t g = 0; g < state.groups; ++g) {
    Group& group = state.group[g];
    if (group.state != Group::State::runnable || group.at != at) continue;
    group.mask |= mask;
    group.slice_expired = false;
    return;
  }
  state.group[state.groups++] = {at, at, state.top, mask, Group::State::runnable, false, 0};
  ++state.runnable;
  ++state.top->references;
}

}  // namespace

const DecodedInstruction* diverge(Warp& warp, std::uint32_t mask, const DecodedInstruction* there,
                                  const DecodedInstruction* here) {
  WarpState& state = state_of(warp);
  const std::uint32_t* rank = state.run->code->rank.data();
  const std::uint32_t ranks[2] = {rank[here - state.code], rank[there - state.code]};
  const bool there_first = ranks[1] < ranks[0];
  const bool settled =
      state.runnable == 0 || (state.settled_top == state.top && ranks[there_first] < state.settled_below);
  if (!settled || here == there) {
    split_group(warp, mask, there);
    return reconverge(warp, here);
  }
  const std::uint32_t first = there_first ? mask : warp.active & ~mask;
  wait_settled(state, warp.active & ~first, there_first ? here : there, ranks[!there_first]);
  warp.active = first;
  return there_first ? there : here;
}

namespace {

[[noreturn]] void report_deadlock(BlockRun& block) {
  Warp* stuck = nullptr;
  const DecodedInstruction* at = nullptr;
  bool at_barrier = true;
  std::uint32_t waiting = 0;
  for (Warp& warp : block.warp) {
    WarpState& state = state_of(warp);
    for (std::uint32_t g = 0; g < state.groups; ++g) {
      waiting += static_cast<std::uint32_t>(std::popcount(state.group[g].mask));
      if (stuck) continue;
      stuck = &warp;
      at = state.group[g].waits_at;
      at_barrier = state.group[g].state == Group::State::at_barrier;
    }
  }
  if (!stuck) throw Trap{LaunchStatus::launch_failure};
  stuck->active = state_of(*stuck).group[0].mask;
  Finding finding =
      finding_at(*stuck, at, FindingKind::barrier_deadlock,
                 "No thread of the block can continue: its " + std::to_string(waiting) +
                     " threads that have not returned wait for one another at different places.");
  if (!at_barrier) finding.site.access = "exchange";
  finding.standing = thread_positions(block);
  fail(*stuck, std::move(finding), LaunchStatus::launch_timeout);
}

// Executes one instruction; uses the shadow interpreter if the warp holds undefined values, or if `shadow`.
const DecodedInstruction* step(BlockRun& run, Warp& warp, const DecodedInstruction* at, bool shadow) {
  if (run.probed != nullptr) run.probed->acted |= run.code->acts[run.code->position(at)];
  if (run.recorder != nullptr) run.recorder->begin(warp, at);
  shadow = shadow || (run.undefined && run.undefined->any(warp));
  const DecodedInstruction* next = shadow ? run.undefined->step(warp, at) : at->handler(warp, at);
  if (run.recorder != nullptr) run.recorder->end();
  return next;
}

// Whether each instruction needs more than its handler.
bool steps_singly(const BlockRun& run, const Warp& warp) {
  return run.probed != nullptr || run.recorder != nullptr || (run.undefined && run.undefined->any(warp));
}

}  // namespace

void run_warp(Warp& warp) {
  BlockRun& run = *state_of(warp).run;
  state_of(warp).slices = 0;
  const DecodedInstruction* at = next_group(warp);
  for (bool ahead = false;;) {
    try {
      if (ahead) at = step(run, warp, at, true);
      while (at && steps_singly(run, warp)) at = step(run, warp, at, false);
      while (at) at = at->handler(warp, at);
      return;
    } catch (const ShadowRestart& unwritten) {
      at = unwritten.at;
      ahead = unwritten.again;
      if (run.recorder != nullptr && !ahead) run.recorder->end();
      if (!run.undefined) run.undefined = run.shadow->start(run);
    }
  }
}

// Rounds that a block may run before it yields: kIdleRounds if it only polled, kBusyRounds if it made
// progress. If a spin loop contains a barrier, only one round in kSpinIterations uses up a slice; a round
// without such a slice takes back less than that.
constexpr int kIdleRounds = 2, kBusyRounds = 8, kRound = 2 * kSpinIterations;

Progress run_block(BlockRun& block) {
  int waited = 0;
  while (block.alive_threads > 0) {
    bool ran = false;
    block.polled = block.progressed = false;
    for (std::uint32_t w = 0; w < block.warps; ++w) {
      Warp& warp = block.warp[w];
      if (state_of(warp).runnable == 0) continue;
      ran = true;
      run_warp(warp);
    }
    if (!ran && block.alive_threads > 0) report_deadlock(block);
    if (block.in_turns && block.alive_threads > 0) return Progress::yielded;
    waited = block.polled ? waited + kRound * (block.progressed ? 1 : kBusyRounds / kIdleRounds)
                          : std::max(0, waited - 1);
    if (waited < kRound * kBusyRounds || block.alive_threads == 0) continue;
    if (++block.stalls % kStallsBeforeProbe == 0 && find_livelock(block) == Livelock::for_nobody)
      return Progress::livelocked;
    return Progress::yielded;
  }
  return Progress::finished;
}

}  // namespace warpgrade::emulator
