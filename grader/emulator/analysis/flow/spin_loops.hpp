// Loops that only read memory until it changes.
#pragma once

#include "analysis/flow/control_flow.hpp"

namespace warpgrade::emulator {

// Fills Loop::spins and Loop::polls.
//
// A loop spins on the paths through blocks that only read memory, hand values on within a warp, or execute
// atomics. In most such loops the exit depends only on memory and on values from before the loop, not on a
// counter, a clock or a value of an earlier iteration: as long as memory does not change, one iteration on
// these paths shows that the loop never ends. In other loops (Loop::carries) one iteration shows that only if
// it changes no register. Livelock detection tests this at run time. It also tests whether an atomic changed
// its cell, which a failed compare-and-swap does not.
//
// A loop polls if it writes no memory on any path and repeats a test of an mbarrier or a strong load. It may
// count its iterations or read the clock. Other threads should run before the next test.
void find_spin_loops(const ptx::Function& function, ControlFlow& flow);

}  // namespace warpgrade::emulator
