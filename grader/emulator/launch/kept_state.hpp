// What one launch may leave in device memory for the next one, besides the arrays that the host passes.
#pragma once

#include <string>
#include <vector>

#include "machine/program_impl.hpp"

namespace warpgrade::emulator {

// Names of the module's variables that the kernel's code may write, in alphabetical order, then "the device
// heap" if it may allocate there. Code that was decoded without observed accesses counts as writing none.
// `wrote_elsewhere`: the kernel has written where its code shows no write; that may be any variable.
std::vector<std::string> kept_state(const Code& code, const Program::Impl& program,
                                    bool wrote_elsewhere = false);

}  // namespace warpgrade::emulator
