// With -G, functions of the toolkit's headers are called: atomicAdd(), __syncwarp(), assert().
#pragma once

#include "ptx/module.hpp"

namespace warpgrade::emulator {

// Neither long nor with memory of its block.
bool is_toolkit_function(const ptx::Module& module, const ptx::Function& function);

// Gives each call of such a function a copy of its own, so that what is found in one can be told where it was
// called. Calls of more than a few thousand keep the one that there is.
void copy_toolkit_functions(ptx::Module& module);

}  // namespace warpgrade::emulator
