// Finds a pattern of the wrong elements of a result, which points to the bug.
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
//   tile-rows         they fill whole rows of tiles; also tile-columns, or tiles without an order
//   scattered         none of these
struct Pattern {
  std::string name;
  std::string words;         // completes "… of … elements are wrong: "
  int products = 0;          // from-phase: number of products in each sum
  std::optional<int> phase;  // from-phase: only for square tiles, whose depth is known
};

// Needs at least one element that is not right.
Pattern find_pattern(const Dataset& data, const Matrix<float>& result, const Matrix<Mark>& marks,
                     const LaunchShape& shape);

}  // namespace warpgrade::harness
