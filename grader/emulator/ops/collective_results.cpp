// The results of each warp collective except shfl (lanes/shuffle.cpp). PTX ISA 9.7.13.9 (vote),
// 9.7.13.10 (match), 9.7.13.12 (redux), 9.7.13.14 (elect).
#include <algorithm>
#include <bit>
#include <vector>

#include "isa/attribute.hpp"
#include "isa/variant.hpp"
#include "ops/collective.hpp"
#include "ops/lanes/shuffle.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
using ptx::Opcode;
namespace {

template <class Action>
inline void for_each_lane(std::uint32_t mask, Action action) {
  if (mask == kFullMask) {
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) action(lane);
    return;
  }
  for (; mask; mask &= mask - 1) action(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

std::uint32_t present(const Exchange& exchange, std::uint32_t lane) {
  return exchange.member[lane] & exchange.together;
}

void set_predicate(Warp& warp, std::uint32_t slot, std::uint32_t value) {
  if (slot == kNoOperand) return;
  std::uint32_t& to = warp.mask(slot);
  to = (to & ~warp.active) | (value & warp.active);
}

template <class T>
void deposit_value(Warp& warp, const DecodedInstruction* at, Exchange& exchange) {
  const T* from = warp.lanes<T>(at->operand[2]);
  for_each_lane(warp.active, [&](std::uint32_t lane) { exchange.value[lane] = from[lane]; });
}

void deposit_predicate(Warp& warp, const DecodedInstruction* at, Exchange& exchange) {
  std::uint32_t mask = warp.mask(at->operand[2]);
  if (at->guard == 1) mask = ~mask;
  for_each_lane(warp.active, [&](std::uint32_t lane) { exchange.value[lane] = mask >> lane & 1; });
}

// --- shfl ---

void deposit_shuffle(Warp& warp, const DecodedInstruction* at, Exchange& exchange) {
  const auto* a = warp.lanes<std::uint32_t>(at->operand[2]);
  const auto* b = warp.lanes<std::uint32_t>(at->operand[3]);
  const auto* c = warp.lanes<std::uint32_t>(at->operand[4]);
  for_each_lane(warp.active, [&](std::uint32_t lane) {
    exchange.value[lane] = a[lane];
    exchange.b[lane] = b[lane];
    exchange.c[lane] = c[lane];
  });
}

// The implementation for this machine's vector width.
ShuffleOps pick_shuffle(Shuffle mode) { return WARPGRADE_CHOOSE_LANES(shuffle_ops)(mode); }

CollectiveOps shuffle(Shuffle mode) {
  const ShuffleOps ops = pick_shuffle(mode);
  return {deposit_shuffle, ops.complete, ops.whole};
}

// --- vote ---

enum class Vote { all, any, uniform, ballot };

std::uint32_t ballot_of(const Exchange& exchange, std::uint32_t lanes) {
  std::uint32_t ballot = 0;
  for (; lanes; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    ballot |= static_cast<std::uint32_t>(exchange.value[lane] & 1) << lane;
  }
  return ballot;
}

template <Vote kMode>
void vote(Warp& warp, const DecodedInstruction* at, const Exchange& exchange) {
  std::uint32_t members = 0, ballot = 0, true_lanes = 0;
  bool fresh = true;
  for_each_lane(warp.active, [&](std::uint32_t lane) {
    const std::uint32_t present_members = present(exchange, lane);
    if (fresh || present_members != members)
      members = present_members, ballot = ballot_of(exchange, present_members), fresh = false;
    if (kMode == Vote::ballot) warp.lanes<std::uint32_t>(at->operand[0])[lane] = ballot;
    const bool value = kMode == Vote::all   ? ballot == members
                       : kMode == Vote::any ? ballot != 0
                                            : ballot == members || ballot == 0;
    true_lanes |= static_cast<std::uint32_t>(value) << lane;
  });
  if (kMode != Vote::ballot) set_predicate(warp, at->operand[0], true_lanes);
}

// --- match ---

// match.any takes a turn for each value that the lanes have.
void count_values(const Warp& warp, const DecodedInstruction* at, unsigned values) {
  if (warp.rows == nullptr) return;
  AccessRow& row = warp.rows[at->index];
  row.tag = tag_of(ptx::Space::reg, 0);
  ++row.part;
  row.part_lanes += static_cast<unsigned>(std::popcount(warp.active));
  row.units += values;
}

std::uint32_t equal_lanes(const Exchange& exchange, std::uint32_t lanes, std::uint64_t value) {
  std::uint32_t equal = 0;
  for (; lanes; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    equal |= static_cast<std::uint32_t>(exchange.value[lane] == value) << lane;
  }
  return equal;
}

template <bool kAll>
void match(Warp& warp, const DecodedInstruction* at, const Exchange& exchange) {
  auto* to = warp.lanes<std::uint32_t>(at->operand[0]);
  std::uint32_t true_lanes = 0;
  unsigned values = 0;
  for (std::uint32_t left = warp.active; left != 0; ++values) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(left));
    const std::uint32_t members = present(exchange, first);
    const std::uint32_t equal = equal_lanes(exchange, members, exchange.value[first]);
    const bool all = equal == members;
    std::uint32_t done = 1u << first;  // lanes with the same value and mask as `first`
    for_each_lane(equal & left, [&](std::uint32_t lane) {
      done |= static_cast<std::uint32_t>(present(exchange, lane) == members) << lane;
    });
    if (all) true_lanes |= done;
    if (at->operand[0] != kNoOperand)
      for_each_lane(done, [&](std::uint32_t lane) { to[lane] = kAll ? (all ? members : 0) : equal; });
    left &= ~done;
  }
  set_predicate(warp, at->operand[1], true_lanes);
  count_values(warp, at, kAll ? 1 : values);
}

// --- redux ---

struct Add {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a + b; }
};
struct And {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a & b; }
};
struct Or {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a | b; }
};
struct Xor {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a ^ b; }
};
struct MinU {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return std::min(a, b); }
};
struct MaxU {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return std::max(a, b); }
};
struct MinS {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b;
  }
};
struct MaxS {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b) ? a : b;
  }
};

template <class Operation>
void reduce(Warp& warp, const DecodedInstruction* at, const Exchange& exchange) {
  auto* to = warp.lanes<std::uint32_t>(at->operand[0]);
  std::uint32_t members = 0, sum = 0;  // values of the previous lane: most lanes have the same members
  for_each_lane(warp.active, [&](std::uint32_t lane) {
    std::uint32_t rest = present(exchange, lane);
    if (rest == 0) rest = 1u << lane;
    if (rest != members) {
      members = rest;
      sum = static_cast<std::uint32_t>(exchange.value[std::countr_zero(rest)]);
      for (rest &= rest - 1; rest; rest &= rest - 1)
        sum = Operation{}(sum, static_cast<std::uint32_t>(exchange.value[std::countr_zero(rest)]));
    }
    to[lane] = sum;
  });
}

// --- elect ---

void elect(Warp& warp, const DecodedInstruction* at, const Exchange& exchange) {
  std::uint32_t leaders = 0;
  for_each_lane(warp.active, [&](std::uint32_t lane) {
    const auto leader = static_cast<std::uint32_t>(std::countr_zero(present(exchange, lane)));
    if (at->operand[0] != kNoOperand) warp.lanes<std::uint32_t>(at->operand[0])[lane] = leader;
    leaders |= static_cast<std::uint32_t>(leader == lane) << lane;
  });
  set_predicate(warp, at->operand[1], leaders);
}

// One form of a collective: its opcode, and the modifiers that choose among those of this opcode.
struct Form {
  Opcode opcode;
  std::vector<Modifier> modifiers;
  CollectiveOps ops;
};

const std::vector<Form>& forms() {
  using M = Modifier;
  static const auto& kForms = *new const std::vector<Form>{
      {Opcode::shfl, {M::up}, shuffle(Shuffle::up)},
      {Opcode::shfl, {M::down}, shuffle(Shuffle::down)},
      {Opcode::shfl, {M::bfly}, shuffle(Shuffle::butterfly)},
      {Opcode::shfl, {M::idx}, shuffle(Shuffle::index)},
      {Opcode::vote, {M::all}, {deposit_predicate, vote<Vote::all>}},
      {Opcode::vote, {M::any}, {deposit_predicate, vote<Vote::any>}},
      {Opcode::vote, {M::uni}, {deposit_predicate, vote<Vote::uniform>}},
      {Opcode::vote, {M::ballot}, {deposit_predicate, vote<Vote::ballot>}},
      {Opcode::match, {M::any, M::b32}, {deposit_value<std::uint32_t>, match<false>}},
      {Opcode::match, {M::all, M::b32}, {deposit_value<std::uint32_t>, match<true>}},
      {Opcode::match, {M::any, M::b64}, {deposit_value<std::uint64_t>, match<false>}},
      {Opcode::match, {M::all, M::b64}, {deposit_value<std::uint64_t>, match<true>}},
      {Opcode::redux, {M::add, M::u32}, {deposit_value<std::uint32_t>, reduce<Add>}},
      {Opcode::redux, {M::add, M::s32}, {deposit_value<std::uint32_t>, reduce<Add>}},
      {Opcode::redux, {M::min, M::u32}, {deposit_value<std::uint32_t>, reduce<MinU>}},
      {Opcode::redux, {M::min, M::s32}, {deposit_value<std::uint32_t>, reduce<MinS>}},
      {Opcode::redux, {M::max, M::u32}, {deposit_value<std::uint32_t>, reduce<MaxU>}},
      {Opcode::redux, {M::max, M::s32}, {deposit_value<std::uint32_t>, reduce<MaxS>}},
      {Opcode::redux, {M::and_, M::b32}, {deposit_value<std::uint32_t>, reduce<And>}},
      {Opcode::redux, {M::or_, M::b32}, {deposit_value<std::uint32_t>, reduce<Or>}},
      {Opcode::redux, {M::xor_, M::b32}, {deposit_value<std::uint32_t>, reduce<Xor>}},
  };
  return kForms;
}

// The modifiers that select the form: all but .sync and the type of shfl and vote, which is always the same.
std::vector<Modifier> choosing(const ptx::Instruction& instruction) {
  const bool has_one_type = instruction.opcode == Opcode::shfl || instruction.opcode == Opcode::vote;
  std::vector<Modifier> out = instruction.modifiers;
  std::erase_if(out, [&](Modifier each) {
    return each == Modifier::sync || (has_one_type && (each == Modifier::b32 || each == Modifier::pred));
  });
  return out;
}

}  // namespace

const CollectiveOps* find_collective(const ptx::Instruction& instruction) {
  static const CollectiveOps kElect = {nullptr, elect}, kWarpBarrier = {nullptr, nullptr, nullptr, true};
  const Opcode op = instruction.opcode;
  if (isa::is(instruction, isa::Attribute::barrier) && instruction.has(Modifier::warp)) return &kWarpBarrier;
  if (!instruction.has(Modifier::sync)) return nullptr;
  if (op == Opcode::elect) return &kElect;
  const std::vector<Modifier> chosen = choosing(instruction);
  const auto found = std::find_if(forms().begin(), forms().end(), [&](const Form& form) {
    return form.opcode == op && form.modifiers == chosen;
  });
  return found == forms().end() ? nullptr : &found->ops;
}

}  // namespace warpgrade::emulator
