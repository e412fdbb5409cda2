// Loops, and a topological order of the blocks around them.
#pragma once

#include <functional>

#include "analysis/control_flow.hpp"

namespace warpgrade::emulator {

// Fills in BasicBlock::order and loop, and ControlFlow::loops.
void order_blocks(ControlFlow& flow);

// Marks the loops in which a lane may wait for what another thread does: a branch in them depends on what an
// atomic or a volatile load returned, or a call of which `waits` says that it may. Their turns use up a time
// slice much faster.
using CallCheck = std::function<bool(const ptx::Instruction&)>;
void find_waiting_loops(const ptx::Function& function, ControlFlow& flow, const CallCheck& waits = {});

// Does it return what another thread may have changed?
bool reads_foreign_state(const ptx::Instruction& instruction, bool has_fence = false);

}  // namespace warpgrade::emulator
