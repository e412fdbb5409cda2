#include "ops/memory/pending_copies.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "ops/mbarrier.hpp"
#include "ops/memory/resolve.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {
namespace {

using Kind = Access::Kind;

// Calls `access` with the warp's active mask set to `mask`, whatever the warp is executing.
template <class Access>
void as_lanes(Warp& warp, std::uint32_t mask, Access access) {
  const std::uint32_t active = warp.active;
  warp.active = mask;
  access();
  warp.active = active;
}

Warp& warp_of(Block& block, std::uint32_t index) { return static_cast<BlockRun&>(block).warp[index]; }

// A bulk copy is divided into pieces of 16 bytes; 32 of them are one access.
constexpr std::uint32_t kPiece = 16;

void move_pieces(Warp& warp, const BulkCopy& copy, std::uint64_t from, std::uint32_t pieces, bool write,
                 std::byte* bytes) {
  Lanes lanes;
  for (std::uint32_t i = 0; i < pieces; ++i)
    lanes.address[i] = (write ? copy.target : copy.source) + from + std::uint64_t{i} * kPiece;
  AccessForm form;
  form.space = static_cast<std::uint8_t>(write ? copy.target_space : copy.source_space);
  form.bytes = kPiece;
  const bool reduces = write && copy.reduction != nullptr;
  if (reduces) form.flags = AccessForm::is_strong | AccessForm::is_data;  // each element: .relaxed.gpu
  const Kind kind = reduces ? Kind::atomic : write ? Kind::write : Kind::read;
  ResolveRequest request{warp, copy.at, form, kind, copy.observed, true};
  request.value = write && !reduces ? bytes : nullptr;
  request.is_bulk = true;
  resolve(request, lanes);
  for (std::uint32_t i = 0; i < pieces; ++i) {
    std::byte* const here = bytes + i * kPiece;
    for (std::uint32_t at = 0; reduces && at < kPiece; at += copy.element)
      copy.reduction(lanes.host[i] + at, here + at, copy.target_space == ptx::Space::shared);
    if (!reduces) std::memcpy(write ? lanes.host[i] : here, write ? here : lanes.host[i], kPiece);
  }
}

void settle_arrivals(Warp& warp, WarpCopies& copies, std::uint64_t offset) {
  for (AsyncArrival& arrival : copies.arrivals) {
    std::uint32_t due = 0;
    for (std::uint32_t left = arrival.mask; left != 0; left &= left - 1)
      if (arrival.barrier[std::countr_zero(left)] == offset) due |= left & -left;
    if (due == 0) continue;
    arrival.mask &= ~due;
    for (WarpCopies::Issued& issued : copies.pending) {
      const std::uint32_t done = issued.number < arrival.copies ? issued.copy.mask & due : 0;
      if (done == 0) continue;
      issued.copy.mask &= ~done;
      finish_copy(warp, issued.copy, done);
    }
    for (std::uint32_t left = due; left != 0; left &= left - 1)
      change_barrier(warp, arrival.at, arrival.observed, static_cast<std::uint32_t>(std::countr_zero(left)),
                     offset, BarrierChange::arrive, 1);
  }
  std::erase_if(copies.arrivals, [](const AsyncArrival& arrival) { return arrival.mask == 0; });
  std::erase_if(copies.pending, [](const WarpCopies::Issued& issued) { return issued.copy.mask == 0; });
}

}  // namespace

BlockCopies& copies_of(Block& block) {
  std::shared_ptr<void>& all = block.copies;
  if (!all) {
    auto made = std::make_shared<BlockCopies>();
    made->warps.resize(block.warps);
    made->bulk_committed.resize(std::size_t{block.warps} * kWarpSize);
    all = std::move(made);
  }
  return *static_cast<BlockCopies*>(all.get());
}

void finish_copy(Warp& warp, const AsyncCopy& copy, std::uint32_t mask) {
  std::byte values[kWarpSize * 16] = {};
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if (copy.bytes[lane] != 0)
      std::memcpy(values + static_cast<unsigned>(lane) * copy.size, copy.source[lane], copy.bytes[lane]);
  }
  Lanes target;
  std::memcpy(target.address, copy.target, sizeof target.address);
  as_lanes(warp, mask, [&] {
    resolve({warp, copy.at, copy.target_form, Kind::write, copy.observed, true, values}, target);
  });
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::memcpy(target.host[lane], values + static_cast<unsigned>(lane) * copy.size, copy.size);
  }
}

void finish_copy(Block& block, const BulkCopy& copy) {
  Warp& warp = warp_of(block, copy.warp);
  std::byte bytes[kWarpSize * kPiece];
  for (std::uint32_t done = 0; done < copy.bytes; done += sizeof bytes) {
    const std::uint32_t pieces = std::min<std::uint32_t>(kWarpSize, (copy.bytes - done) / kPiece);
    as_lanes(warp, pieces == kWarpSize ? kFullMask : (1u << pieces) - 1, [&] {
      move_pieces(warp, copy, done, pieces, false, bytes);
      move_pieces(warp, copy, done, pieces, true, bytes);
    });
  }
  if (copy.barrier != BulkCopy::kNoBarrier)
    change_barrier(warp, copy.at, copy.observed, copy.lane, copy.barrier,
                   BarrierChange::complete_transactions, copy.bytes);
}

void change_barrier(Warp& warp, const DecodedInstruction* at, bool observed, std::uint32_t lane,
                    std::uint64_t offset, BarrierChange change, std::uint32_t count) {
  AccessForm form;
  form.space = static_cast<std::uint8_t>(ptx::Space::shared);
  form.bytes = 8;
  form.flags = AccessForm::is_strong | AccessForm::releases | AccessForm::of_block;
  Lanes lanes;
  lanes.address[lane] = offset;
  as_lanes(warp, 1u << lane, [&] {
    resolve({warp, at, form, Kind::atomic, false}, lanes);
    form.bytes = kHalfBarrier;
    if (observed) resolve({warp, at, form, Kind::atomic, true}, lanes);
  });
  std::uint64_t word = 0;
  std::memcpy(&word, lanes.host[lane], sizeof word);
  MemoryBarrier barrier = MemoryBarrier::of(word);
  const std::uint32_t phase = barrier.phase;
  const bool arrives = change == BarrierChange::arrive;
  if (arrives)
    barrier.arrive(count);
  else
    barrier.complete_transactions(static_cast<std::int32_t>(count));
  word = barrier.word();
  std::memcpy(lanes.host[lane], &word, sizeof word);
  if (!observed) return;
  const auto place = static_cast<std::uint32_t>(offset);
  if (arrives) warp.block->observers->mbarrier_arrived({at, &warp, 1u << lane, place, phase});
  if (barrier.phase != phase) warp.block->observers->phase_completed(*warp.block, place);
}

void settle_barrier(Block& block, std::uint64_t offset) {
  if (!block.copies) return;
  BlockCopies& copies = copies_of(block);
  for (std::uint32_t w = 0; w < copies.warps.size(); ++w)
    if (!copies.warps[w].arrivals.empty()) settle_arrivals(warp_of(block, w), copies.warps[w], offset);
  std::vector<BulkCopy> due;
  std::erase_if(copies.bulk, [&](const BulkCopy& copy) {
    if (copy.barrier != offset) return false;
    due.push_back(copy);
    return true;
  });
  for (const BulkCopy& copy : due) finish_copy(block, copy);
}

void finish_bulk_copies(Block& block) {
  if (!block.copies) return;
  const std::vector<BulkCopy> left = std::move(copies_of(block).bulk);
  for (const BulkCopy& copy : left)
    if (copy.barrier == BulkCopy::kNoBarrier) finish_copy(block, copy);
}

}  // namespace warpgrade::emulator
