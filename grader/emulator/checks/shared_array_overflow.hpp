// Accesses of shared memory that leave the array they are meant for.
#pragma once

#include <vector>

#include "machine/kernel_code.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

// `bounds`: by DecodedInstruction::index, see analysis/shared_array_bounds.hpp.
void check_shared_array_overflow(const Access& access, const std::vector<SharedArrayBounds>& bounds);

}  // namespace warpgrade::emulator
