// Happens-before sets between blocks: what a warp has acquired through fences and atomics from other blocks
// and warps, with what those had acquired.
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
  bool within_block =
      false;  // only the block itself may rely on it: it was released with a fence of the block
  // Entries merged from older sets that this set no longer points to: those that hold for all blocks, and
  // those that hold within their block only.
  ClockMap blocks, within;
  Pointer older[2];
  std::uint32_t size = 1;  // at most so many are reached from here

  HappensBefore() = default;
  HappensBefore(const HappensBefore&) = delete;
  ~HappensBefore();
};

// All that either holds; null if both are.
HappensBefore::Pointer join(const HappensBefore::Pointer& a, const HappensBefore::Pointer& b);
// The clock of a block, on top of what was known.
HappensBefore::Pointer extend(const HappensBefore::Pointer& known, std::uint64_t block, WarpClock clock,
                              bool within_block);
// Is a thread of `reader` with this set ordered after the accesses of `warp` of `block` at `time`?
bool knows(const HappensBefore::Pointer& known, std::uint64_t reader, std::uint64_t block, std::uint32_t warp,
           std::uint32_t time);

}  // namespace warpgrade::emulator
