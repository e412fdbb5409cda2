// Elements that no block comes to, as blocks begin where others should.
#pragma once
#include <optional>

#include "comparison/pattern.hpp"

namespace warpgrade::harness {

// If the elements that were never written are exactly those that the blocks of the launch miss by one of
// these mistakes, the pattern is
//   grid-for-block         a block begins at blockIdx.x * gridDim.x, where each thread computes one element
//   blocks-never-written   rank 2: blockIdx.x counts rows of blocks and blockIdx.y columns, or a guard does
//   so
std::optional<Pattern> unreached(const WrongResult& cells);

}  // namespace warpgrade::harness
