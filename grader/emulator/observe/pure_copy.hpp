// Loads whose values are only stored again, and exchanges whose old value nobody reads.
#pragma once

#include "observe/observers.hpp"

namespace warpgrade::observe {

// A structure is copied word by word with the padding between its members, which nobody has written, and that
// is no mistake. True where the kernel does nothing else with what this load reads, and where it does nothing
// at all with what this exchange gets.
bool is_pure_copy(const Access& access);

}  // namespace warpgrade::observe
