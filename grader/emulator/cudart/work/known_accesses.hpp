// The memory that work will access, as far as it is known before the work runs.
#pragma once

#include "cudart/work/commands.hpp"

namespace warpgrade::cudart {

// Names the operation and fills in the memory that it touches. The accesses of a kernel are known only after
// it has run; before, only the memory shared with the host that it may access.
void fill_in(Runtime& runtime, const Work& work, emulator::StreamOperation& to);

}  // namespace warpgrade::cudart
