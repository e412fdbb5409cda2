// How wide the machine's accesses to shared memory are, next to those of PTX: Program::use_machine_widths().
#pragma once

#include "ptx/module.hpp"

namespace warpgrade::emulator {

// Of a lane, all elements of a vector together, as the load or store has them in PTX.
unsigned bytes_of_access(const ptx::Instruction& instruction);

}  // namespace warpgrade::emulator
