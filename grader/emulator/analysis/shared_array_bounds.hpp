// Which shared array an access is meant for, as far as the PTX says so.
//
// Shared arrays stand side by side, so an index that runs past one of them lands in the next, which neither
// hardware nor a check of the block's shared memory minds. The compiler computes each address from the name
// of one array: where that is all it is computed from, the access must stay within it.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/kernel_code.hpp"
#include "machine/program.hpp"

namespace warpgrade::emulator {

// By Instruction::index; empty where the kernel has at most one shared array.
std::vector<SharedArrayBounds> find_shared_array_bounds(const Program& program, const Kernel& kernel,
                                                        const Code& code);

}  // namespace warpgrade::emulator
