// The finding about a block that waits forever.
#pragma once

#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

// Reports what the block's threads wait for, then throws Trap. `host_may_write`: the host could write the
// value that they wait for, once the kernel has ended.
[[noreturn]] void report_livelock(BlockRun& block, bool host_may_write);

}  // namespace warpgrade::emulator
