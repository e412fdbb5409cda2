// Accesses of shared memory that leave the array they are meant for.
#pragma once

#include <vector>

#include "machine/kernel_code.hpp"
#include "machine/observers.hpp"

namespace warpgrade::emulator {

// `rooms`: by Instruction::index, see exec/shared_rooms.hpp.
void check_shared_array_overflow(const Access& access, const std::vector<SharedRoom>& rooms);

}  // namespace warpgrade::emulator
