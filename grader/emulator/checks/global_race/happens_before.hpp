// Happens-before sets between blocks: what a warp has acquired from other blocks and warps through fences and
// atomics, including what they had acquired before.
#pragma once

#include <cstdint>
#include <memory>

#include "checks/global_race/clock_map.hpp"

namespace warpgrade::emulator {

// Persistent: a release shares the set by pointer. The value of a set never changes; its representation does
// when it is queried. Not thread-safe.
struct HappensBefore {
  using Pointer = std::shared_ptr<HappensBefore>;

  // The entry that this set adds to `older`: the clock of one block. An empty clock adds nothing.
  std::uint64_t block = 0;
  WarpClock clock;
  bool within_block = false;  // released by a fence of block scope: only the block itself may rely on it
  // Entries merged from older sets that this set no longer points to: those that hold for all blocks, and
  // those that hold within their block only.
  ClockMap blocks, within;
  Pointer older[2];
  std::uint32_t size = 1;  // upper bound of the sets that are reachable from this one

  HappensBefore() = default;
  HappensBefore(const HappensBefore&) = delete;
  ~HappensBefore();
};

// The union of both; null if both are null.
HappensBefore::Pointer join(const HappensBefore::Pointer& a, const HappensBefore::Pointer& b);
// The set `known` with the clock of a block added.
HappensBefore::Pointer extend(const HappensBefore::Pointer& known, std::uint64_t block, WarpClock clock,
                              bool within_block);
// Whether a thread of block `reader` that has this set is ordered after an access of `warp` of `block` at
// `time`.
bool knows(const HappensBefore::Pointer& known, std::uint64_t reader, std::uint64_t block, std::uint32_t warp,
           std::uint32_t time);

}  // namespace warpgrade::emulator
