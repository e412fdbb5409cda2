// Loops that only read memory until it changes.
#pragma once

#include "analysis/control_flow.hpp"

namespace warpgrade::emulator {

// Fills Loop::spins and Loop::polls.
//
// A loop spins on some of its paths, those through blocks that only read memory or do atomics. Mostly the end
// of such an iteration depends only on memory and on values from before the loop: not on a counter, a clock
// or a value of an earlier iteration. As long as memory does not change, one iteration on these paths shows
// that no later one leaves them. In other loops (Loop::carries) it shows that only if the iteration changes
// no register. Livelock detection looks at that when the loop runs, and whether an atomic left its cell as it
// was, as a failed compare-and-swap does.
//
// A loop that polls writes no memory on any path, but may count its iterations or read the clock. It repeats
// a test of an mbarrier or a strong load; other threads should run before the next test.
void find_spin_loops(const ptx::Function& function, ControlFlow& flow);

}  // namespace warpgrade::emulator
