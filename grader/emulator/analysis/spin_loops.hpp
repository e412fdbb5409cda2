// Loops that only read memory until it changes.
#pragma once

#include "analysis/control_flow.hpp"

namespace warpgrade::emulator {

// Fills Loop::spins and Loop::polls. A spin loop writes no memory, and its exit depends only on memory and on
// values from before the loop: not on a counter, a clock or a value of an earlier iteration. As long as
// memory does not change, one iteration that does not exit shows that no later one will. A loop that polls
// writes no memory either, but may count its iterations or read the clock. It repeats a test of an mbarrier
// or a strong load; other threads should run before the next test.
void find_spin_loops(const ptx::Function& function, ControlFlow& flow);

}  // namespace warpgrade::emulator
