// Conflicts of a warp's lanes in the banks of shared memory.
#pragma once

#include <cstdint>

#include "isa/each_variant.hpp"
#include "machine/geometry.hpp"

namespace warpgrade::emulator {

// The most distinct units in one bank, over the lanes of `mask`. A unit is what one lane accesses
// (4, 8 or 16 bytes: 1 << shift) and takes as many adjacent banks as it has words. 0: the addresses
// are too far apart for this method.
using Conflicts = unsigned (*)(const std::uint64_t* address, unsigned shift, std::uint32_t mask);

WARPGRADE_DECLARE_LANES(unsigned conflicts(const std::uint64_t* address, unsigned shift, std::uint32_t mask);)

Conflicts conflicts_of_lanes();  // chosen for this machine's vector width

}  // namespace warpgrade::emulator
