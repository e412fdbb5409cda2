// Executed basic blocks → counters.
#pragma once

#include "exec/code.hpp"
#include "exec/scheduler.hpp"
#include "observe/counters.hpp"

namespace warpgrade::exec {

// Zeroed, one entry for each counted block and guard.
InstructionCounts make_counts(const Code& code);
void add_counts(const Code& code, const InstructionCounts& counts, observe::Counters& to);

}  // namespace warpgrade::exec
