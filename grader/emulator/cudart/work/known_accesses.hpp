// What work will access, as far as it is known before it runs.
#pragma once

#include "cudart/work/commands.hpp"

namespace warpgrade::cudart {

// Names the operation and fills in what it touches. What a kernel accesses is known once it has run; before,
// what it may access of memory that the host shares.
void fill_in(Runtime& runtime, const Work& work, emulator::StreamOperation& to);

}  // namespace warpgrade::cudart
