// Finds the global memory that a kernel may write.
#pragma once

#include "machine/written_memory.hpp"

namespace warpgrade::emulator {

struct Code;

// Of the kernel and all functions that it may call.
WrittenMemory find_written_memory(const Code& code);

}  // namespace warpgrade::emulator
