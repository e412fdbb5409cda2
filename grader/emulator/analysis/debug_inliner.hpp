// With -G, nvcc calls atomicCAS() and __shfl_sync() as functions: what they do then hangs on who calls them,
// a constant mask or a lock's two values among it.
#pragma once

#include "ptx/module.hpp"

namespace warpgrade::emulator {

// Puts functions of the toolkit's headers that run straight through to where they are called, as nvcc does
// without -G. Their places are then inlined places.
void inline_toolkit_functions(ptx::Module& module);

}  // namespace warpgrade::emulator
