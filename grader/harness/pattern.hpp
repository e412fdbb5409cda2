// Looks for what the wrong elements of a result have in common, since that is where a bug shows itself.
#pragma once
#include <optional>
#include <string>

#include "launch_shape.hpp"
#include "oracle.hpp"

namespace warpgrade::harness {

// name is one of
//   never-written     none of the wrong elements was written
//   zeros             all wrong elements are 0
//   transposed        the right result, with rows and columns swapped
//   from-phase        each wrong element is the sum of its first `products` products; the rest is missing
//   last-tile-column  all wrong elements lie in the last, partial tile column (also -row, -row-or-column)
//   all               no element is right
//   tile-rows         they fill whole rows of tiles; also tile-columns, or tiles that stand here and there
//   scattered         none of these
struct Pattern {
  std::string name;
  std::string words;         // completes "… of … elements are wrong: "
  int products = 0;          // from-phase: how many products are in
  std::optional<int> phase;  // from-phase: where the tiles are square, so that their depth is known
};

// Needs at least one element that is not right.
Pattern find_pattern(const Dataset& data, const Matrix<float>& result, const Matrix<Mark>& marks,
                     const LaunchShape& shape);

}  // namespace warpgrade::harness
