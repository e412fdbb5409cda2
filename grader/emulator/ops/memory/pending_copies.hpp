// Copies that a block has issued and not waited for yet: cp.async, cp.async.bulk and cp.reduce.async.bulk. A
// copy is checked when it is issued, and done when a thread waits for it, which is as late as the manual
// allows. A kernel that forgets to wait therefore reads the old values on every run.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/block.hpp"
#include "ops/memory/access_form.hpp"
#include "ops/memory/reduction.hpp"

namespace warpgrade::emulator {

// cp.async: the copies of a warp's lanes.
struct AsyncCopy {
  const DecodedInstruction* at = nullptr;
  bool observed = false;
  std::uint32_t mask = 0;               // lanes whose copy is not yet done
  std::uint32_t group[kWarpSize] = {};  // indexed by lane: number of commits before the copy
  std::uint64_t target[kWarpSize] = {};
  const std::byte* source[kWarpSize] = {};
  std::uint8_t bytes[kWarpSize] = {};  // to copy; the rest of `size` is zeros
  unsigned size = 0;
  AccessForm target_form;
};

// cp.async.mbarrier.arrive: lanes that arrive at a barrier once their copies so far are done.
struct AsyncArrival {
  const DecodedInstruction* at = nullptr;
  bool observed = false;
  std::uint32_t mask = 0;
  std::uint32_t copies = 0;               // WarpCopies::issued when it was issued
  std::uint64_t barrier[kWarpSize] = {};  // offset in shared memory
};

struct WarpCopies {
  struct Issued {
    AsyncCopy copy;
    std::uint32_t number = 0;
  };
  std::uint32_t committed[kWarpSize] = {};
  std::uint32_t issued = 0;
  std::vector<Issued> pending;
  std::vector<AsyncArrival> arrivals;
};

// cp.async.bulk and cp.reduce.async.bulk: the copy of one lane.
struct BulkCopy {
  static constexpr std::uint64_t kNoBarrier = ~std::uint64_t{0};
  const DecodedInstruction* at = nullptr;
  bool observed = false;
  std::uint32_t warp = 0, lane = 0;
  std::uint64_t target = 0, source = 0;  // addresses as the lane passed them
  ptx::Space target_space = ptx::Space::shared, source_space = ptx::Space::global;
  std::uint32_t bytes = 0;
  std::uint64_t barrier = kNoBarrier;  // offset in shared memory; without one it belongs to a bulk group
  std::uint32_t group = 0;
  Reduction reduction = nullptr;  // of cp.reduce.async.bulk: what it does with each element
  std::uint32_t element = 0;      // its bytes
};

struct BlockCopies {
  std::vector<WarpCopies> warps;
  std::vector<BulkCopy> bulk;
  std::vector<std::uint32_t> bulk_committed;  // indexed by thread
};
BlockCopies& copies_of(Block& block);

// Does the copy for the lanes in `mask`.
void finish_copy(Warp& warp, const AsyncCopy& copy, std::uint32_t mask);
void finish_copy(Block& block, const BulkCopy& copy);

// Completes the copies that arrive at this barrier, before it is tested.
void settle_barrier(Block& block, std::uint64_t offset);

// At the block's end, does the bulk copies to global memory that no thread has waited for.
void finish_bulk_copies(Block& block);

// Uses of a barrier in memory count as accesses to one half of its word: arrivals write the first half. Tests
// that pass read the second half, to which Observers::phase_completed() passes what the arrivals have
// released.
constexpr std::uint32_t kHalfBarrier = 4;

// Changes the barrier at this offset of shared memory on behalf of one lane, with release semantics.
enum class BarrierChange : std::uint8_t { arrive, complete_transactions };
void change_barrier(Warp& warp, const DecodedInstruction* at, bool observed, std::uint32_t lane,
                    std::uint64_t offset, BarrierChange change, std::uint32_t count);

}  // namespace warpgrade::emulator
