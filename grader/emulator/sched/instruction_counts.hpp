// Converts the executions of basic blocks to counters.
#pragma once

#include "machine/counters/counters.hpp"
#include "machine/kernel_code.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

// Zeroed, one entry for each counted block and guard.
InstructionCounts make_counts(const Code& code);
void add_counts(const Code& code, const InstructionCounts& counts, Counters& to);

}  // namespace warpgrade::emulator
