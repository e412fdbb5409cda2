// What a warp knows to have happened in other blocks and warps: what was released through fences and atomics,
// and whatever those who released it knew.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "observe/block_order.hpp"

namespace warpgrade::observe {

// Shared: a release hands on what was known by pointing to it. What one means never changes; how it is kept
// does, when somebody asks. Not for several threads at once.
struct Knowledge {
  using Pointer = std::shared_ptr<Knowledge>;
  using Clocks = std::vector<std::pair<std::uint64_t, WarpClock>>;  // by block, sorted

  Clocks blocks;  // what it adds
  Clocks within;  // and what only the block itself may rely on: it was released with a fence of the block
  Pointer older[2];
  std::uint32_t size = 1;  // at most so many are reached from here

  Knowledge() = default;
  Knowledge(const Knowledge&) = delete;
  ~Knowledge();
};

// All that either holds; null where both are.
Knowledge::Pointer join(const Knowledge::Pointer& a, const Knowledge::Pointer& b);
// The clock of a block, on top of what was known.
Knowledge::Pointer extend(const Knowledge::Pointer& known, std::uint64_t block, WarpClock clock,
                          bool within_block);
// Does a thread of `reader` that knows this come after what `warp` of `block` did at `time`?
bool knows(const Knowledge::Pointer& known, std::uint64_t reader, std::uint64_t block, std::uint32_t warp,
           std::uint32_t time);

}  // namespace warpgrade::observe
