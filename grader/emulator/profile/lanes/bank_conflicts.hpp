// Conflicts of a warp's lanes in the banks of shared memory.
#pragma once

#include <cstdint>

#include "machine/geometry.hpp"

namespace warpgrade::emulator {

// The most distinct units in one bank, over the lanes of `mask`. A unit is what one lane accesses
// (4, 8 or 16 bytes: 1 << shift) and takes as many adjacent banks as it has words. 0: the addresses
// are too far apart for this method.
using Conflicts = unsigned (*)(const std::uint64_t* address, unsigned shift, std::uint32_t mask);

#define WARPGRADE_VARIANT(lanes)                                                        \
  namespace lanes {                                                                     \
  unsigned conflicts(const std::uint64_t* address, unsigned shift, std::uint32_t mask); \
  }
WARPGRADE_VARIANT(lanes_v1)
#ifndef WARPGRADE_ONLY_V1
WARPGRADE_VARIANT(lanes_v3)
WARPGRADE_VARIANT(lanes_v4)
#endif
#undef WARPGRADE_VARIANT

Conflicts conflicts_of_lanes();  // of this machine

}  // namespace warpgrade::emulator
