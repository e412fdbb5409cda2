// In -G builds nvcc emits calls to atomicCAS(), __shfl_sync() and others. Inlining them restores the caller's
// constants (masks, lock values), which the checks need.
#pragma once

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

// Inlines the functions of toolkit headers that are straight-line code, as nvcc does without -G. Their source
// locations become inlined locations.
void inline_toolkit_functions(ptx::Module& module);

}  // namespace warpgrade::emulator
