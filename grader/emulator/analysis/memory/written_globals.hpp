// Finds the global memory that a kernel may write.
#pragma once

#include "machine/kernel_facts/written_globals.hpp"

namespace warpgrade::emulator {

struct Code;

// For the kernel and all functions that it may call.
WrittenGlobals find_written_globals(const Code& code);

}  // namespace warpgrade::emulator
