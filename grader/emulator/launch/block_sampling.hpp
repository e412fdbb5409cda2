// Chooses the blocks that represent a grid.
#pragma once

#include <cstdint>

#include "machine/counters/counters.hpp"
#include "machine/sampled_blocks.hpp"

namespace warpgrade::emulator {

// Samples `count` of a grid's `all` blocks; `columns`: blocks of a row. Samples all blocks if `count` >=
// `all`.
SampledBlocks sampled_blocks(std::uint64_t count, std::uint64_t all, std::uint64_t columns);

// The blocks whose footprints are recorded, a subset of the blocks that a launch runs. Recording is slow, so
// there are few: at most eight. `run`: the sampled blocks; empty if the launch runs all blocks.
SampledBlocks footprint_blocks(const SampledBlocks& run, std::uint64_t all, std::uint64_t columns);

// Scales the counts of the sampled blocks to the whole grid, which has `factor` times as many.
void extrapolate(Counters& counters, double factor);

}  // namespace warpgrade::emulator
