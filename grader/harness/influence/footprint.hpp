// Which elements of a result change with one element of an input.
#pragma once
#include <string>
#include <vector>

#include "arrays/array.hpp"

namespace warpgrade::harness {

// An element of the result, and by how much it changes.
struct Touched {
  Shape index;
  double by = 0;
};

// What a change of one element of an input does to the whole result.
struct ElementFootprint {
  std::string array;
  Shape index;
  std::vector<Touched> right;  // by the oracle
  std::vector<Touched> got;    // by the kernel
};

}  // namespace warpgrade::harness
