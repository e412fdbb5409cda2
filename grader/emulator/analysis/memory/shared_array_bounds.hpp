// The shared array that an access belongs to, where the PTX shows it.
//
// Shared arrays are adjacent, so an index beyond the end of one array reaches its neighbour, which neither
// the hardware nor a bounds check of the block's shared memory detects. The compiler computes each address
// from the name of an array: an address that is computed from one array only must stay within that array.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/kernel_code.hpp"
#include "machine/program.hpp"

namespace warpgrade::emulator {

// Indexed by DecodedInstruction::index; empty if the kernel has at most one shared array.
std::vector<SharedArrayBounds> find_shared_array_bounds(const Program& program, const KernelInfo& kernel,
                                                        const Code& code);

}  // namespace warpgrade::emulator
