// What one launch may leave in device memory for the next one, beside the arrays that the host passes.
#pragma once

#include <string>
#include <vector>

#include "machine/program_impl.hpp"

namespace warpgrade::emulator {

// Names of the module's variables that the kernel may write, by its code, in alphabetical order, then "the
// device heap" if it may allocate there. Code that was decoded without observed accesses is not known to
// write any.
std::vector<std::string> kept_state(const Code& code, const Program::Impl& program);

}  // namespace warpgrade::emulator
