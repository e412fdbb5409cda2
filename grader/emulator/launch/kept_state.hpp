// What one launch may leave in device memory for the next one, beside the arrays that the host passes.
#pragma once

#include <string>
#include <vector>

#include "machine/program_impl.hpp"

namespace warpgrade::emulator {

// Names of the module's variables that the kernel may write, by its code, in alphabetical order, then "the
// device heap" if it may allocate there. Code that was decoded without observed accesses is not known to
// write any. `wrote_elsewhere`: the kernel has written where its code does not lead; that may be any
// variable.
std::vector<std::string> kept_state(const Code& code, const Program::Impl& program,
                                    bool wrote_elsewhere = false);

}  // namespace warpgrade::emulator
