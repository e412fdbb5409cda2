// Memory of register frames, and what is filled into them before code runs.
#pragma once

#include <cstddef>
#include <vector>

#include "sched/scheduler.hpp"

namespace warpgrade::emulator {

// Constants, kernel parameters and the specials that do not change during the launch.
void fill_frame(const Warp& warp, std::byte* frame, const FrameLayout& layout, const LaunchFacts& facts);
// Fills in the values that differ from block to block; also zeroes the registers that may be read before they
// are written.
void fill_block_slots(const Warp& warp, std::byte* frame, const FrameLayout& layout,
                      const LaunchFacts& facts);

// The frame of a called function at this depth of the warp's calls. Lanes that reach
// it by different calls share the frame: each lane has its own column.
std::byte* deep_frame(Warp& warp, std::uint32_t depth, std::uint32_t function);

// Gives a new block's warps their frames, local memory and lanes. `block` has its index, launch and code.
void start_warps(BlockRun& block);

}  // namespace warpgrade::emulator
