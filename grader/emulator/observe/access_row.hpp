// What the accesses of one instruction have cost so far.
#pragma once

#include <cstdint>

#include "ptx/module.hpp"

namespace warpgrade::exec {
struct AddressShape;
}

namespace warpgrade::observe {

struct alignas(64) AccessRow {
  std::uint64_t full = 0;                  // accesses by all 32 lanes
  std::uint64_t part = 0, part_lanes = 0;  // by fewer, and by how many lanes in all
  std::uint64_t units = 0;                 // wavefronts (shared memory) or sectors
  std::uint64_t ideal_units = 0;           // had the same bytes been packed
  std::uint64_t lines = 0;                 // 128-byte lines (global memory)
  std::uint8_t tag = 0;                    // space and kind; 0: no access yet
  std::uint8_t bytes = 0;                  // of one lane
};
static_assert(sizeof(AccessRow) == 64);

// AccessRow::tag. `kind` is Access::Kind.
constexpr std::uint8_t tag_of(ptx::Space space, int kind) {
  return static_cast<std::uint8_t>(1 + static_cast<int>(space) * 4 + kind);
}
constexpr std::uint8_t kSharedReadTag = tag_of(ptx::Space::shared, 0);
constexpr std::uint8_t kSharedWriteTag = tag_of(ptx::Space::shared, 1);

// Fills in what an access to shared memory through these addresses costs: `bytes` a lane in PTX, of which the
// machine moves `moved` at once. Each half of the warp is packed or at one address.
void find_wavefronts(exec::AddressShape& shape, unsigned bytes, unsigned moved);

}  // namespace warpgrade::observe
