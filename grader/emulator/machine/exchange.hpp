// The buffer through which lanes of a warp exchange values: shfl, vote, match, redux, mma.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/warp.hpp"

namespace warpgrade::emulator {

// Operands of the lanes that have arrived at a collective.
struct Exchange {
  std::uint32_t
      member[kWarpSize];       // member mask of each lane; a lane outside its own mask waits for no other
  std::uint32_t together = 0;  // lanes that execute the collective together
  std::uint64_t value[kWarpSize];
  std::uint32_t b[kWarpSize], c[kWarpSize];  // shfl: lane operand and clamp
  std::vector<std::byte> result;             // written by CollectiveOps::prepare(), read by complete()
};

}  // namespace warpgrade::emulator
