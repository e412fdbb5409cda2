// Loops, and a topological order of the blocks around them.
#pragma once

#include "exec/control_flow.hpp"

namespace warpgrade::exec {

// Fills in BasicBlock::order and loop, and ControlFlow::loops.
void order_blocks(ControlFlow& flow);

// Marks the loops in which a lane may wait for what another thread does: a branch in them depends on what an
// atomic or a volatile load returned. Their turns use up a time slice much faster.
void find_spin_loops(const ptx::Function& function, ControlFlow& flow);

}  // namespace warpgrade::exec
