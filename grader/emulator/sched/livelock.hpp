// Livelock detection: blocks whose threads wait in spin loops for a value that no thread is left to write.
//
// Each group of lanes runs one iteration of its loop. If all groups are back where they started, in spin
// loops (analysis/flow/spin_loops.hpp), nothing was written meanwhile, and every later iteration would do the
// same.
#pragma once

#include "machine/kernel_facts/spin_loop.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

// Other blocks cannot write this block's shared memory, but they can write global memory.
enum class Livelock : std::uint8_t { no, for_other_blocks, for_nobody };
Livelock find_livelock(BlockRun& block);

// Records that a group has finished its iteration and would continue at `at`. `carries`: see Loop::carries.
void note_iteration(Warp& warp, const DecodedInstruction* at, SpinLoop loop, bool carries);

}  // namespace warpgrade::emulator
