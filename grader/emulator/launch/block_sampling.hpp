// Chooses the blocks that stand for a grid.
#pragma once

#include <cstdint>

#include "machine/sampled_blocks.hpp"

namespace warpgrade::emulator {

// `count` blocks of a grid of `all`, `columns` of them in a row; all of them where `count` is not less.
SampledBlocks sampled_blocks(std::uint64_t count, std::uint64_t all, std::uint64_t columns);

// The blocks whose footprints are recorded, among the blocks that a launch runs. Recording is slow, so there
// are few: eight of a sample. `run`: the sampled blocks; empty if the launch runs all blocks.
SampledBlocks footprint_blocks(const SampledBlocks& run, std::uint64_t all, std::uint64_t columns);

}  // namespace warpgrade::emulator
