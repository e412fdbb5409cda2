// The finding about a block that waits forever.
#pragma once

#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

// The other blocks and the host, where all threads of a block wait.
struct OutsideBlock {
  bool host_may_write = false;    // the memory that they poll
  std::uint64_t not_started = 0;  // blocks of the grid that wait until a resident one has ended
  std::uint64_t resident = 0;     // blocks
  bool last_first = false;        // the last blocks have begun first

  [[nodiscard]] bool holds_back_first() const { return last_first && not_started != 0; }
};

// Reports what the block's threads wait for, then throws Trap.
[[noreturn]] void report_livelock(BlockRun& block, const OutsideBlock& outside);

}  // namespace warpgrade::emulator
