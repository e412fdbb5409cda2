// Which blocks stand for a grid.
#pragma once

#include <cstdint>
#include <vector>

namespace warpgrade::emulator {

// In pairs: each with its neighbour in x or, every other time, in y, for what neighbours have in common
// (observe/footprint.hpp).
struct SampledBlocks {
  std::vector<std::uint64_t> blocks;  // lowest first
  std::vector<std::uint32_t> pair;    // of each the number of its pair, from 0
};

// `count` blocks of a grid of `all`, `columns` of them in a row; all of them where there are no more.
SampledBlocks sampled_blocks(std::uint64_t count, std::uint64_t all, std::uint64_t columns);

// Of the blocks that a launch runs those whose footprints are taken: few, for that is slow; eight of a
// sample. `run`: empty where it runs all.
SampledBlocks footprint_blocks(const SampledBlocks& run, std::uint64_t all, std::uint64_t columns);

}  // namespace warpgrade::emulator
