// Mistakes in the loop over the phases of a tiled product C = A·B.
#pragma once
#include <vector>

#include "comparison/hypotheses.hpp"

namespace warpgrade::harness {

// Tiles that do not move on, a sum that begins again, and what is counted behind the end of k. Where the
// launch shape does not tell the depth of a tile, usual ones are tried. `q` must live as long as these.
std::vector<Hypothesis> phase_mistakes(const WrongResult& q);

}  // namespace warpgrade::harness
