// mbarrier.* (manual 9.7.13.15). Lanes execute it one after another, lowest first.
#include <bit>
#include <cstring>
#include <utility>

#include "analysis/flow/control_flow.hpp"
#include "machine/memory/shared_window.hpp"
#include "ops/mbarrier.hpp"
#include "ops/memory/decode_common.hpp"
#include "ops/memory/pending_copies.hpp"
#include "ops/memory/resolve.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
namespace {

using Kind = Access::Kind;

// Operands: [0] state or predicate, [1] count, state or parity.
enum Slot { kResult = 0, kArgument = 1 };
enum class Change { init, invalidate, arrive, drop, expect, arrive_expecting, drop_expecting, complete };

std::uint32_t argument(const Warp& warp, const DecodedInstruction* at, int lane, std::uint32_t otherwise) {
  const std::uint32_t slot = at->operand[kArgument];
  return slot == kNoOperand ? otherwise : warp.lanes<std::uint32_t>(slot)[lane];
}

AccessForm half_of(AccessForm form) {
  form.bytes = kHalfBarrier;
  return form;
}

// The lanes that have not passed are ordered after the arrivals so far, all of which belong to the phase that
// they wait for.
void observe_test(Warp& warp, const DecodedInstruction* at, const Lanes& full, std::uint32_t mask,
                  std::uint32_t half) {
  if (mask == 0) return;
  Lanes lanes = full;
  for (std::uint64_t& address : lanes.address) address += half;
  const std::uint32_t active = std::exchange(warp.active, mask);
  resolve({warp, at, half_of(form_of(at)), Kind::read, true}, lanes);
  warp.active = active;
}

// Reports lanes that arrive one after the other in the same phase of an mbarrier as one event.
class ArrivalsTogether {
 public:
  ArrivalsTogether(const Warp& warp, const DecodedInstruction* at) : next_{.at = at, .warp = &warp} {}
  void add(std::uint32_t lane, std::uint32_t offset, std::uint32_t phase) {
    if (next_.offset != offset || next_.phase != phase) report();
    next_.lanes |= lane;
    next_.offset = offset;
    next_.phase = phase;
  }
  void report() {
    if (next_.lanes != 0) next_.warp->block->observers->mbarrier_arrived(next_);
    next_.lanes = 0;
  }

 private:
  MbarrierArrival next_;
};

template <Change kChange>
void change(MemoryBarrier& barrier, std::uint32_t count) {
  if constexpr (kChange == Change::init) {
    barrier = {};
    barrier.pending = barrier.expected = count & MemoryBarrier::kMost;
  }
  if constexpr (kChange == Change::invalidate) barrier = {};
  if constexpr (kChange == Change::expect || kChange == Change::arrive_expecting ||
                kChange == Change::drop_expecting)
    barrier.transactions += static_cast<std::int32_t>(count);
  if constexpr (kChange == Change::drop) barrier.expected = (barrier.expected - count) & MemoryBarrier::kMost;
  if constexpr (kChange == Change::drop_expecting) --barrier.expected;
  if constexpr (kChange == Change::arrive || kChange == Change::drop) barrier.arrive(count);
  if constexpr (kChange == Change::arrive_expecting || kChange == Change::drop_expecting) barrier.arrive(1);
  if constexpr (kChange == Change::complete) barrier.complete_transactions(static_cast<std::int32_t>(count));
}

// Forms with a destination return the state before the arrival.
template <Change kChange, bool Observed>
const DecodedInstruction* change_all(Warp& warp, const DecodedInstruction* at) {
  const AccessForm form = form_of(at);
  Lanes lanes;
  read_addresses(warp, at, form, lanes.address);
  constexpr bool kWrites = kChange == Change::init || kChange == Change::invalidate;
  constexpr bool kArrives = !kWrites && kChange != Change::expect && kChange != Change::complete;
  resolve({warp, at, form, kWrites ? Kind::write : Kind::atomic, Observed && kWrites}, lanes);
  if (Observed && !kWrites) resolve({warp, at, half_of(form), Kind::atomic, true}, lanes);
  std::uint64_t* state =
      at->operand[kResult] == kNoOperand ? nullptr : warp.lanes<std::uint64_t>(at->operand[kResult]);
  ArrivalsTogether arrivals(warp, at);
  for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::uint64_t word = 0;
    std::memcpy(&word, lanes.host[lane], sizeof word);
    if (state) state[lane] = word;
    MemoryBarrier barrier = MemoryBarrier::of(word);
    const std::uint32_t phase = barrier.phase;
    change<kChange>(barrier, argument(warp, at, lane, 1));
    word = barrier.word();
    std::memcpy(lanes.host[lane], &word, sizeof word);
    if constexpr (!Observed || kWrites) continue;
    const auto offset = static_cast<std::uint32_t>(shared_offset(lanes.address[lane]));
    if constexpr (kArrives) arrivals.add(left & -left, offset, phase);
    if (barrier.phase != phase) warp.block->observers->phase_completed(*warp.block, offset);
  }
  arrivals.report();
  return at + 1;
}

// Does the copies that the barrier waits for, then tests whether the phase is complete. A thread that sees a
// complete phase is ordered after all arrivals: after those of other warps by the barrier's word, after those
// of its own warp as by bar.warp.sync.
template <bool Parity, bool Observed>
const DecodedInstruction* test(Warp& warp, const DecodedInstruction* at) {
  const AccessForm form = form_of(at);
  Lanes lanes;
  read_addresses(warp, at, form, lanes.address);
  std::uint64_t last = ~std::uint64_t{0};
  for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
    const std::uint64_t offset = shared_offset(lanes.address[std::countr_zero(left)]);
    if (offset != last) settle_barrier(*warp.block, offset);
    last = offset;
  }
  resolve({warp, at, form, Kind::read, false}, lanes);
  std::uint32_t passed = 0;
  for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::uint64_t word = 0;
    std::memcpy(&word, lanes.host[lane], sizeof word);
    const MemoryBarrier barrier = MemoryBarrier::of(word);
    const bool over = Parity
                          ? barrier.has_passed_parity(warp.lanes<std::uint32_t>(at->operand[kArgument])[lane])
                          : barrier.has_passed(warp.lanes<std::uint64_t>(at->operand[kArgument])[lane]);
    passed |= static_cast<std::uint32_t>(over) << lane;
  }
  if (Observed) {
    observe_test(warp, at, lanes, warp.active & ~passed, 0);
    observe_test(warp, at, lanes, passed, kHalfBarrier);
    if (passed != 0) warp.block->observers->warp_barrier(warp, kFullMask);
  }
  std::uint32_t& to = warp.mask(at->operand[kResult]);
  to = (to & ~warp.active) | passed;
  return at + 1;
}

const DecodedInstruction* pending_count(Warp& warp, const DecodedInstruction* at) {
  std::uint32_t* to = warp.lanes<std::uint32_t>(at->operand[kResult]);
  const std::uint64_t* state = warp.lanes<std::uint64_t>(at->operand[kArgument]);
  for (int lane = 0; lane < kWarpSize; ++lane)
    if ((warp.active >> lane & 1u) != 0) to[lane] = MemoryBarrier::of(state[lane]).pending;
  return at + 1;
}

template <Change kChange>
Handler pick(bool observed) {
  return observed ? change_all<kChange, true> : change_all<kChange, false>;
}

Handler handler_of(const ptx::Instruction& from, bool observed) {
  const bool expecting = from.has(Modifier::expect_tx);
  if (from.has(Modifier::init)) return pick<Change::init>(observed);
  if (from.has(Modifier::inval)) return pick<Change::invalidate>(observed);
  if (from.has(Modifier::arrive))
    return expecting ? pick<Change::arrive_expecting>(observed) : pick<Change::arrive>(observed);
  if (from.has(Modifier::arrive_drop))
    return expecting ? pick<Change::drop_expecting>(observed) : pick<Change::drop>(observed);
  if (expecting) return pick<Change::expect>(observed);
  if (from.has(Modifier::complete_tx)) return pick<Change::complete>(observed);
  return nullptr;
}

// The address, in any space that includes shared memory.
void put_barrier(const ptx::Instruction& from, std::size_t operand, DecodeContext& context,
                 DecodedInstruction& to) {
  MemoryForm form;
  form.is_strong = !from.has(Modifier::init);  // uses of the barrier must be ordered after its initialisation
  const bool tests = from.has(Modifier::test_wait) || from.has(Modifier::try_wait);
  form.releases = form.is_strong && !tests && !from.has(Modifier::inval);
  form.is_data = form.releases;  // an arrival acquires nothing
  form.of_block = true;          // .cta unless it says .cluster, and a cluster has one block here
  const bool shared =
      from.has(Modifier::shared) || from.has(Modifier::shared_cta) || from.has(Modifier::shared_cluster);
  const DecodedAddress address = decode_address(from, operand_at(from, operand, context),
                                                shared ? ptx::Space::shared : ptx::Space::generic, context);
  encode_access(form, address, 8, to);
}

void decode_test(const ptx::Instruction& from, DecodeContext& context, bool observed,
                 DecodedInstruction& to) {
  const bool parity = from.has(Modifier::parity);
  to.operand[kResult] = context.slot(operand_at(from, 0, context), ptx::Type::pred);
  put_barrier(from, 1, context, to);
  to.operand[kArgument] =
      context.slot(operand_at(from, 2, context), parity ? ptx::Type::u32 : ptx::Type::b64);
  if (parity)
    to.handler = observed ? test<true, true> : test<true, false>;
  else
    to.handler = observed ? test<false, true> : test<false, false>;
}

}  // namespace

void decode_mbarrier(const ptx::Instruction& from, DecodeContext& context, bool observed,
                     DecodedInstruction& to) {
  if (from.has(Modifier::test_wait) || from.has(Modifier::try_wait))
    return decode_test(from, context, observed, to);
  if (from.has(Modifier::pending_count)) {
    to.operand[kResult] = context.slot(operand_at(from, 0, context), ptx::Type::u32);
    to.operand[kArgument] = context.slot(operand_at(from, 1, context), ptx::Type::b64);
    to.handler = pending_count;
    return;
  }
  to.handler = handler_of(from, observed);
  if (to.handler == nullptr) context.unsupported(from, "there is no such operation on an mbarrier");
  // The state may be omitted or a sink.
  const bool has_state = operand_at(from, 0, context).kind != ptx::Operand::Kind::address;
  if (has_state && from.operands[0].kind != ptx::Operand::Kind::sink)
    to.operand[kResult] = context.slot(from.operands[0], ptx::Type::b64);
  const std::size_t address = has_state ? 1 : 0;
  put_barrier(from, address, context, to);
  if (from.operands.size() > address + 1)
    to.operand[kArgument] = context.slot(from.operands[address + 1], ptx::Type::u32);
}

}  // namespace warpgrade::emulator
