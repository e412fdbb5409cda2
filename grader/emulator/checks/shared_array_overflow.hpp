// Accesses to shared memory beyond the array whose name the address was computed from.
#pragma once

#include <vector>

#include "machine/kernel_code.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

// `bounds`: indexed by DecodedInstruction::index, see analysis/memory/shared_array_bounds.hpp.
void check_shared_array_overflow(const Access& access, const std::vector<SharedArrayBounds>& bounds);

}  // namespace warpgrade::emulator
