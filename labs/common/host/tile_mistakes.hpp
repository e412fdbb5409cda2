// Mistakes in how a block fills and reads its tiles of the matrices of C = A·B.
#pragma once
#include <vector>

#include "comparison/hypotheses.hpp"

namespace warpgrade::harness {

// Blocks that all load the same part of a matrix, a tile that is filled by the index arithmetic for the other
// matrix, and the element of a tile that another thread loads than the one that should. None where the launch
// shape does not tell the sides of the tiles. `q` must live as long as these.
std::vector<Hypothesis> flat_tile_mistakes(const WrongResult& q);
std::vector<Hypothesis> tile_mistakes(const WrongResult& q);

}  // namespace warpgrade::harness
