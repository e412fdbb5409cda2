// Finds loops and orders the blocks topologically.
#pragma once

#include <functional>

#include "analysis/flow/control_flow.hpp"

namespace warpgrade::emulator {

// Fills in BasicBlock::order and loop, and ControlFlow::loops.
void order_blocks(ControlFlow& flow);

// Marks the loops in which a lane may wait for another thread: a branch in them depends on the result of an
// atomic, of a strong load, or of a call for which `waits` is true. An iteration of such a loop uses up more
// of the time slice.
using CallCheck = std::function<bool(const ptx::Instruction&)>;
void find_waiting_loops(const ptx::Function& function, ControlFlow& flow, const CallCheck& waits = {});

// The instruction reads memory that another thread may change.
bool reads_foreign_state(const ptx::Instruction& instruction, bool has_fence = false);

}  // namespace warpgrade::emulator
