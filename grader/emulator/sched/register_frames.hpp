// Memory of register frames, and the values that are filled in before code runs.
#pragma once

#include <cstddef>
#include <vector>

#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

// Fills in constants, kernel parameters and the special registers that do not change during the launch.
void fill_frame(const Warp& warp, std::byte* frame, const FrameLayout& layout, const LaunchFacts& facts);
// Fills in the values that differ from block to block; also zeroes the registers that may be read before they
// are written.
void fill_block_slots(const Warp& warp, std::byte* frame, const FrameLayout& layout,
                      const LaunchFacts& facts);

// The frame of a called function at this depth of the warp's calls. Lanes that reach
// it by different calls share the frame: each lane has its own column.
std::byte* deep_frame(Warp& warp, std::uint32_t depth, std::uint32_t function);

// Sets up the frames, local memory and lanes of a new block's warps. Precondition: the block's index, launch
// and code are set.
void start_warps(BlockRun& block);

}  // namespace warpgrade::emulator
