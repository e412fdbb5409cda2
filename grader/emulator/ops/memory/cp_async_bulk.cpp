// cp.async.bulk, cp.reduce.async.bulk and cp.async.mbarrier.arrive (manual 9.7.9.25.4 and 9.7.13.15.14).
#include <bit>
#include <cstring>

#include "analysis/flow/control_flow.hpp"
#include "machine/memory/shared_window.hpp"
#include "ops/mbarrier.hpp"
#include "ops/memory/decode_common.hpp"
#include "ops/memory/pending_copies.hpp"
#include "ops/memory/resolve.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

using ptx::Modifier;
namespace {

using Kind = Access::Kind;

// Operands: [0] target, [1] source, [2] bytes, [3] barrier or none, [4] and [5] operation and type of a
// reduction (ptx::Modifier, ptx::Type) or none; immediate: BulkForm.
struct BulkForm {
  std::uint8_t target_space = 0, source_space = 0;
  bool target_wide = true, source_wide = true, barrier_wide = true;
};
static_assert(sizeof(BulkForm) <= sizeof(std::uint64_t));

std::uint64_t address_of(const Warp& warp, std::uint32_t slot, bool wide, int lane) {
  return wide ? warp.lanes<std::uint64_t>(slot)[lane] : warp.lanes<std::uint32_t>(slot)[lane];
}

// Faults belong to the instruction that issues the copy. A part of a copy is checked as its first and last
// 16 bytes: what lies between is in the same allocation.
void check_side(Warp& warp, const DecodedInstruction* at, std::uint32_t lane, const BulkCopy& copy,
                bool write) {
  AccessForm form;
  form.space = static_cast<std::uint8_t>(write ? copy.target_space : copy.source_space);
  form.bytes = 16;
  const std::uint32_t active = warp.active;
  warp.active = 1u << lane;
  for (const std::uint32_t from : {0u, copy.bytes - 16}) {
    Lanes lanes;
    lanes.address[lane] = (write ? copy.target : copy.source) + from;
    resolve({warp, at, form, write ? Kind::write : Kind::read, false}, lanes);
  }
  warp.active = active;
}

// The copy of one lane, as its operands say.
BulkCopy bulk_copy_of(const Warp& warp, const DecodedInstruction* at, int lane) {
  BulkForm form;
  std::memcpy(static_cast<void*>(&form), &at->immediate, sizeof form);
  BulkCopy copy;
  copy.at = at;
  copy.warp = warp.index;
  copy.lane = static_cast<std::uint32_t>(lane);
  copy.target = address_of(warp, at->operand[0], form.target_wide, lane);
  copy.source = address_of(warp, at->operand[1], form.source_wide, lane);
  copy.target_space = static_cast<ptx::Space>(form.target_space);
  copy.source_space = static_cast<ptx::Space>(form.source_space);
  copy.bytes = warp.lanes<std::uint32_t>(at->operand[2])[lane];
  if (at->operand[4] != kNoOperand) {
    const auto type = static_cast<ptx::Type>(at->operand[5]);
    copy.reduction = reduction_of(static_cast<Modifier>(at->operand[4]), type);
    copy.element = static_cast<std::uint32_t>(ptx::size_in_bytes(type));
  }
  if (at->operand[3] != kNoOperand)
    copy.barrier = shared_offset(address_of(warp, at->operand[3], form.barrier_wide, lane));
  return copy;
}

template <bool Observed>
const DecodedInstruction* issue_bulk(Warp& warp, const DecodedInstruction* at) {
  BlockCopies& copies = copies_of(*warp.block);
  for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
    BulkCopy copy = bulk_copy_of(warp, at, std::countr_zero(left));
    copy.observed = Observed;
    copy.group = copies.bulk_committed[warp.index * kWarpSize + copy.lane];
    if (copy.bytes == 0) continue;
    if (copy.bytes % 16 != 0) {
      fail(
          warp,
          finding_at(warp, at, FindingKind::misaligned,
                     "A bulk copy of " + std::to_string(copy.bytes) + " bytes; it must be a multiple of 16."),
          LaunchStatus::misaligned_address);
    }
    check_side(warp, at, copy.lane, copy, false);
    check_side(warp, at, copy.lane, copy, true);
    copies.bulk.push_back(copy);
    if (Observed)
      warp.block->observers->bulk_copy_issued(
          {at, &warp, copy.lane, copy.bytes, copy.source_space,
           copy.source_space == ptx::Space::shared ? shared_offset(copy.source) : copy.source});
  }
  return at + 1;
}

const DecodedInstruction* commit_bulk(Warp& warp, const DecodedInstruction* at) {
  BlockCopies& copies = copies_of(*warp.block);
  for (std::uint32_t left = warp.active; left != 0; left &= left - 1)
    ++copies.bulk_committed[warp.index * kWarpSize + static_cast<std::uint32_t>(std::countr_zero(left))];
  return at + 1;
}

// Waits until at most `immediate` of the latest groups of each lane are pending.
const DecodedInstruction* wait_bulk(Warp& warp, const DecodedInstruction* at) {
  BlockCopies& copies = copies_of(*warp.block);
  std::vector<BulkCopy> due;
  std::erase_if(copies.bulk, [&](const BulkCopy& copy) {
    const bool waits = copy.warp == warp.index && (warp.active >> copy.lane & 1) != 0 &&
                       copy.barrier == BulkCopy::kNoBarrier;
    if (!waits || copy.group + at->immediate >= copies.bulk_committed[warp.index * kWarpSize + copy.lane])
      return false;
    due.push_back(copy);
    return true;
  });
  for (const BulkCopy& copy : due) finish_copy(*warp.block, copy);
  return at + 1;
}

template <bool Observed>
const DecodedInstruction* arrive_later(Warp& warp, const DecodedInstruction* at) {
  const AccessForm form = form_of(at);
  WarpCopies& copies = copies_of(*warp.block).warps[warp.index];
  AsyncArrival arrival;
  arrival.at = at;
  arrival.observed = Observed;
  arrival.mask = warp.active;
  arrival.copies = copies.issued;
  Lanes lanes;
  read_addresses(warp, at, form, lanes.address);
  resolve({warp, at, form, Kind::atomic, Observed}, lanes);
  for (std::uint32_t left = warp.active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    arrival.barrier[lane] = shared_offset(lanes.address[lane]);
    if (at->operand[0] != kNoOperand) continue;  // .noinc: the barrier counts on this arrival already
    std::uint64_t word = 0;
    std::memcpy(&word, lanes.host[lane], sizeof word);
    MemoryBarrier barrier = MemoryBarrier::of(word);
    ++barrier.pending;
    word = barrier.word();
    std::memcpy(lanes.host[lane], &word, sizeof word);
  }
  copies.arrivals.push_back(arrival);
  return at + 1;
}

struct Side {
  std::uint32_t slot;
  bool wide;
};
Side side_of(const ptx::Instruction& from, std::size_t operand, ptx::Space space, DecodeContext& context) {
  const DecodedAddress address = decode_address(from, operand_at(from, operand, context), space, context);
  if (address.offset != 0) context.unsupported(from, "an offset in the address; add it to the register");
  return {address.slot, address.wide};
}

// The spaces are in the order of the operands: target, source.
std::vector<ptx::Space> spaces_of(const ptx::Instruction& from) {
  std::vector<ptx::Space> spaces;
  for (const Modifier each : from.modifiers)
    if (ptx::space_of(each) != ptx::Space::none) spaces.push_back(ptx::space_of(each));
  return spaces;
}

}  // namespace

void decode_async_arrival(const ptx::Instruction& from, DecodeContext& context, bool observed,
                          DecodedInstruction& to) {
  MemoryForm form;
  form.is_strong = true;
  const bool shared = from.has(Modifier::shared) || from.has(Modifier::shared_cta);
  const DecodedAddress address = decode_address(from, operand_at(from, 0, context),
                                                shared ? ptx::Space::shared : ptx::Space::generic, context);
  encode_access(form, address, 8, to);
  if (from.has(Modifier::noinc)) to.operand[0] = 0;
  to.handler = observed ? arrive_later<true> : arrive_later<false>;
}

void decode_bulk_copy(const ptx::Instruction& from, DecodeContext& context, bool observed,
                      DecodedInstruction& to) {
  if (from.has(Modifier::commit_group)) {
    to.handler = commit_bulk;
    return;
  }
  if (from.has(Modifier::wait_group)) {
    to.immediate = operand_at(from, 0, context).bits;
    to.handler = wait_bulk;
    return;
  }
  if (from.has(Modifier::prefetch)) {
    to.handler = [](Warp&, const DecodedInstruction* at) { return at + 1; };
    return;
  }
  const std::vector<ptx::Space> spaces = spaces_of(from);
  if (spaces.size() != 2 || from.has(Modifier::multicast_cluster) || from.has(Modifier::cp_mask))
    context.unsupported(from, "bulk copies go between global and shared memory, of one block");
  const bool has_barrier = from.has(Modifier::mbarrier_complete_tx_bytes);
  const Side target = side_of(from, 0, spaces[0], context), source = side_of(from, 1, spaces[1], context);
  BulkForm form{static_cast<std::uint8_t>(spaces[0]), static_cast<std::uint8_t>(spaces[1]), target.wide,
                source.wide, true};
  if (from.has(Modifier::reduce)) {
    const MemoryForm reduction = memory_form(from);
    if (reduction_of(reduction.operation, reduction.type) == nullptr)
      context.unsupported(from, "no such reduction of this type");
    to.operand[4] = static_cast<std::uint32_t>(reduction.operation);
    to.operand[5] = static_cast<std::uint32_t>(reduction.type);
  }
  to.operand[0] = target.slot;
  to.operand[1] = source.slot;
  to.operand[2] = context.slot(operand_at(from, 2, context), ptx::Type::u32);
  if (has_barrier) {
    const Side barrier = side_of(from, 3, ptx::Space::shared, context);
    to.operand[3] = barrier.slot;
    form.barrier_wide = barrier.wide;
  }
  std::memcpy(&to.immediate, &form, sizeof form);
  to.handler = observed ? issue_bulk<true> : issue_bulk<false>;
}

}  // namespace warpgrade::emulator
