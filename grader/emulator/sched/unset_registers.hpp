// Variables without a value: tracked as undefined from the start of a block.
#pragma once

#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

// For the first blocks of a launch, before their warps run: the other blocks make the same mistakes.
void follow_unset_registers(BlockRun& block);

}  // namespace warpgrade::emulator
