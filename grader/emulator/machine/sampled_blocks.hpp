// The sample of a grid's blocks that represents the whole grid.
#pragma once

#include <cstdint>
#include <vector>

namespace warpgrade::emulator {

// Sampled in pairs of neighbours, alternately in x and in y: footprints measure what neighbours share
// (profile/footprint.hpp).
struct SampledBlocks {
  std::vector<std::uint64_t> blocks;  // linear indices, ascending
  std::vector<std::uint32_t> pair;    // number of each block's pair, from 0
};

}  // namespace warpgrade::emulator
