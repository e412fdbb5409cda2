// Calls to functions of the toolkit's headers, such as atomicAdd() and __syncwarp(), in -G builds.
#pragma once

#include "ptx/tree/module.hpp"

namespace warpgrade::emulator {

// A short function of a toolkit header, without shared variables.
bool is_toolkit_function(const ptx::Module& module, const ptx::Function& function);

// Gives each call of such a function its own copy, so that a finding in it can name the call site. Beyond a
// few thousand copies, the remaining calls share the original.
void copy_toolkit_functions(ptx::Module& module);

}  // namespace warpgrade::emulator
