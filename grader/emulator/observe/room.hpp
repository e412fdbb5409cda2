// Accesses of shared memory that leave the array they are meant for.
#pragma once

#include <vector>

#include "exec/code.hpp"
#include "observe/observers.hpp"

namespace warpgrade::observe {

// `rooms`: by Instruction::index, see exec/shared_rooms.hpp.
void check_room(const Access& access, const std::vector<exec::SharedRoom>& rooms);

}  // namespace warpgrade::observe
