#include "ops/collective.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string>

#include "machine/observers.hpp"
#include "ops/undefined_shuffle.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {
namespace {

void deposit(Warp& warp, const DecodedInstruction* at, const CollectiveOps& ops) {
  Exchange& exchange = state_of(warp).exchange;
  const auto* masks = warp.lanes<std::uint32_t>(at->operand[5]);
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    if (warp.active >> lane & 1) exchange.member[lane] = masks[lane];
  }
  if (ops.deposit) ops.deposit(warp, at, exchange);
}

std::string hexadecimal(std::uint32_t mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08" PRIx32, mask);
  return text;
}

bool names_itself(const Exchange& exchange, int lane) { return exchange.member[lane] >> lane & 1; }

// A member mask that lacks the executing lane is undefined behaviour. An H200 stops with an illegal
// instruction; if the mask is a constant, it lets the lane take part with the lanes that run with it. The
// emulator always does the latter.
void report_outsiders(Warp& warp, const DecodedInstruction* at, std::uint32_t outsiders) {
  const std::uint32_t active = warp.active;
  warp.active = outsiders;
  const int lane = std::countr_zero(outsiders);
  const std::string mask = hexadecimal(warp.lanes<std::uint32_t>(at->operand[5])[lane]);
  Finding finding = finding_at(warp, at, FindingKind::warp_mask,
                               "Lane " + std::to_string(lane) + " calls a warp operation with the mask " +
                                   mask + ", which does not name that lane: a GPU may stop there.");
  warp.active = active;
  warp.block->observers->report(*warp.block, std::move(finding));
}

// All lanes that a mask names must execute the operation with that mask: otherwise the results are undefined.
void report_unlike_masks(Warp& warp, const DecodedInstruction* at) {
  const auto* masks = warp.lanes<std::uint32_t>(at->operand[5]);
  const std::uint32_t active = warp.active;
  for (std::uint32_t left = active; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (std::uint32_t others = masks[lane] & active; others; others &= others - 1) {
      const int other = std::countr_zero(others);
      if (masks[other] == masks[lane]) continue;
      warp.active = 1u << lane;
      Finding finding =
          finding_at(warp, at, FindingKind::warp_mask,
                     "Lane " + std::to_string(lane) + " calls a warp operation with the mask " +
                         hexadecimal(masks[lane]) + ", which names lane " + std::to_string(other) +
                         ", and that lane calls it with " + hexadecimal(masks[other]) +
                         ": lanes that do it together need the same mask.");
      warp.active = active;
      return warp.block->observers->report(*warp.block, std::move(finding));
    }
  }
}

// Called if lanes of the mask have returned. Reports those that a branch led past this operation; an early
// return is not an error.
void report_skipped(Warp& warp, const DecodedInstruction* at) {
  BlockRun& run = *state_of(warp).run;
  if (!run.check_barrier) return;
  for (std::size_t number = 0; number < run.code->skipping.size(); ++number) {
    const Watched& branch = run.code->skipping[number];
    const std::uint32_t gone = run.skipped[number * run.warps + warp.index] & ~warp.alive;
    if (gone == 0 ||
        std::find(branch.barriers.begin(), branch.barriers.end(), at->index) == branch.barriers.end())
      continue;
    Finding finding = finding_at(warp, at, FindingKind::warp_mask,
                                 std::to_string(std::popcount(warp.active)) +
                                     " lanes of a warp call an operation with the mask of all lanes, and " +
                                     std::to_string(std::popcount(gone)) +
                                     " others never reach it: a branch leads past it.");
    const std::uint32_t active = warp.active;
    warp.active = gone;
    finding.has_other = true;
    finding.other =
        finding_at(warp, run.code->instructions.data() + branch.position, FindingKind::warp_mask, {}).site;
    warp.active = active;
    run.observers->report(run, std::move(finding));
  }
}

// The arrived lanes whose operation can complete: every lane of their mask has arrived with the same mask or
// has returned.
std::uint32_t find_ready(const Exchange& exchange, std::uint32_t arrived, std::uint32_t alive) {
  std::uint32_t ready = 0;
  for (std::uint32_t left = arrived; left;) {
    const int first = std::countr_zero(left);
    const std::uint32_t member = exchange.member[first];
    std::uint32_t same = 1u << first;
    for (std::uint32_t rest = left & member; rest; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      if (exchange.member[lane] == member) same |= 1u << lane;
    }
    if (!names_itself(exchange, first) || (member & alive & ~same) == 0) ready |= same;
    left &= ~same;
  }
  return ready;
}

void finish(Warp& warp, const DecodedInstruction* at, const CollectiveOps& ops) {
  const Exchange& exchange = state_of(warp).exchange;
  if (ops.complete) ops.complete(warp, at, exchange);
}

void order_memory(Warp& warp, std::uint32_t ready) {
  const Exchange& exchange = state_of(warp).exchange;
  for (std::uint32_t left = ready; left;) {
    const int first = std::countr_zero(left);
    const std::uint32_t mask = exchange.member[first] & ready;
    if (names_itself(exchange, first)) warp.block->observers->warp_barrier(warp, mask);
    left &= ~(mask | 1u << first);
  }
}

const CollectiveOps& ops_of(const DecodedInstruction* at) {
  return *reinterpret_cast<const CollectiveOps*>(at->immediate);
}

// Ready lanes of this group complete the operation and continue; the others wait.
void complete_group(Warp& warp, WarpState& state, std::uint32_t index, std::uint32_t ready) {
  Group& group = state.group[index];
  const std::uint32_t go = group.mask & ready;
  if (!go) return;
  const std::uint32_t active = warp.active;
  std::byte* frame = warp.frame;
  warp.active = go;
  warp.frame = group.top->frame;
  if (warp.alive != kFullMask) report_skipped(warp, group.waits_at);
  finish(warp, group.waits_at, ops_of(group.waits_at));
  warp.active = active;
  warp.frame = frame;
  const DecodedInstruction* next = group.waits_at + 1;
  if (go != group.mask) {
    group.mask &= ~go;
    ++group.top->references;
    state.group[state.groups++] = {next, next, group.top, go, Group::State::runnable, false, 0};
  } else {
    group.state = Group::State::runnable;
    group.at = group.waits_at = next;
  }
  ++state.runnable;
  state.settled_below = 0;
}

// The ready lanes are in one function, at one depth: they share a frame.
void prepare_waiting(Warp& warp, WarpState& state, const CollectiveOps& ops, std::uint32_t ready) {
  const std::uint32_t active = warp.active;
  std::byte* frame = warp.frame;
  warp.active = ready;
  const DecodedInstruction* at = nullptr;
  for (std::uint32_t g = 0; g < state.groups; ++g) {
    const Group& group = state.group[g];
    if (group.state != Group::State::at_collective || &ops_of(group.waits_at) != &ops) continue;
    at = group.waits_at;
    warp.frame = group.top->frame;
  }
  if (at) ops.prepare(warp, at, state.exchange);
  warp.active = active;
  warp.frame = frame;
}

// Completes the operation for waiting lanes that are ready. `running` lanes have deposited and count as
// arrived.
std::uint32_t complete_waiting(Warp& warp, WarpState& state, const DecodedInstruction* at,
                               std::uint32_t running) {
  const CollectiveOps& ops = ops_of(at);
  std::uint32_t arrived = running;
  for (std::uint32_t g = 0; g < state.groups; ++g) {
    const Group& group = state.group[g];
    if (group.state == Group::State::at_collective && &ops_of(group.waits_at) == &ops) arrived |= group.mask;
  }
  const std::uint32_t ready = find_ready(state.exchange, arrived, warp.alive);
  if (!ready) return 0;
  state.exchange.together = ready;
  if (ops.orders_memory) order_memory(warp, ready);
  if (ops.prepare) prepare_waiting(warp, state, ops, ready);
  const std::uint32_t groups = state.groups;
  for (std::uint32_t g = 0; g < groups; ++g) {
    const Group& group = state.group[g];
    if (group.state == Group::State::at_collective && &ops_of(group.waits_at) == &ops) {
      complete_group(warp, state, g, ready);
    }
  }
  return ready;
}

// The member masks of the running lanes: the lanes that any of them names, the lanes whose mask lacks
// themselves, and whether all masks are the same.
struct MemberMasks {
  std::uint32_t named = 0, outsiders = 0;
  bool alike = true;
};
MemberMasks summarise(const std::uint32_t* masks, std::uint32_t active) {
  MemberMasks found;
  const std::uint32_t first = active ? masks[std::countr_zero(active)] : 0;
  for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const std::uint32_t mask = active >> lane & 1 ? masks[lane] : 0;
    found.named |= mask;
    found.outsiders |= (~mask >> lane & active >> lane & 1) << lane;
    found.alike = found.alike && (mask == first || !(active >> lane & 1));
  }
  return found;
}

// Fast test of the common case that each lane names all lanes.
bool all_name_all(const std::uint32_t* masks) {
  constexpr auto kAll = [] {
    std::array<std::uint32_t, kWarpSize> all{};
    all.fill(kFullMask);
    return all;
  }();
  return std::memcmp(masks, kAll.data(), sizeof kAll) == 0;
}

// Any masks: lanes that are ready continue, the others wait.
const DecodedInstruction* exchange_by_masks(Warp& warp, const DecodedInstruction* at) {
  WarpState& state = state_of(warp);
  const CollectiveOps& ops = ops_of(at);
  const MemberMasks masks = summarise(warp.lanes<std::uint32_t>(at->operand[5]), warp.active);
  if (state.run->check_barrier) {
    if (masks.outsiders != 0)
      report_outsiders(warp, at, masks.outsiders);
    else if (!masks.alike)
      report_unlike_masks(warp, at);
  }
  if (warp.alive != kFullMask) report_skipped(warp, at);
  deposit(warp, at, ops);
  std::uint32_t ready = 0;
  if ((masks.named & warp.alive & ~warp.active) == 0) {
    ready = state.exchange.together = warp.active;  // all members have arrived: no search
    if (ops.orders_memory) order_memory(warp, ready);
    if (ops.prepare) ops.prepare(warp, at, state.exchange);
  } else {
    ready = complete_waiting(warp, state, at, warp.active) & warp.active;
  }
  if (ready == warp.active) {
    finish(warp, at, ops);
    return state.runnable == 0 ? at + 1 : reconverge(warp, at + 1);
  }
  const std::uint32_t late = warp.active & ~ready;
  if (ready) {
    warp.active = ready;
    finish(warp, at, ops);
    split_group(warp, ready, at + 1);
    warp.active = late;
  }
  Group& group = suspend_group(warp, at, Group::State::at_collective);
  group.waits_at = at;
  return next_group(warp);
}

}  // namespace

const DecodedInstruction* collective(Warp& warp, const DecodedInstruction* at) {
  const CollectiveOps& ops = ops_of(at);
  const auto* named = warp.lanes<std::uint32_t>(at->operand[5]);
  if (ops.whole && warp.active == kFullMask && all_name_all(named) && ops.whole(warp, at)) return at + 1;
  return follow_undefined(warp, exchange_by_masks(warp, at));
}

void complete_collectives(Warp& warp) {
  WarpState& state = state_of(warp);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t g = 0; g < state.groups && !changed; ++g) {
      if (state.group[g].state != Group::State::at_collective) continue;
      changed = complete_waiting(warp, state, state.group[g].waits_at, 0) != 0;
    }
  }
}

}  // namespace warpgrade::emulator
