// Blocks whose threads wait in loops for what nobody is left to do.
//
// Each group of lanes is given one turn of its loop. Where all come back to where they were, in idle loops
// (idle_loops.hpp), nothing was written meanwhile, so that the next turn would be as this one was, and so on.
#pragma once

#include "machine/spin_loop.hpp"
#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

// Nobody else can write a block's shared memory; what blocks share, another block may write.
enum class Waits : std::uint8_t { no, for_other_blocks, for_nobody };
Waits look_for_waits(BlockRun& block);

// A group that has used up its turn goes on at `at`.
void note_turn(Warp& warp, const Instruction* at, SpinLoop loop);

}  // namespace warpgrade::emulator
