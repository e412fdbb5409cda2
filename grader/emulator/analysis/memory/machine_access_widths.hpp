// Widths of the machine code's accesses to shared memory, for each PTX instruction. The .cpp file defines
// Program::use_machine_widths().
#pragma once

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

// Bytes that one lane accesses by a load or store as written in PTX, all elements of a vector together.
unsigned bytes_of_access(const ptx::Instruction& instruction);

}  // namespace warpgrade::emulator
