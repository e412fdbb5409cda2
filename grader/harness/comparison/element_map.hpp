// A small picture of the elements of an array: '.' right, '#' wrong, '?' never written.
#pragma once
#include <string>
#include <vector>

#include "comparison/marks.hpp"

namespace warpgrade::harness {

// At most 32×32 characters, each for an equal part of the array. An array of rank 1 runs from left to right
// in rows of up to 32 parts. Of an array of rank 3 or more it is the slice with the first wrong element.
std::vector<std::string> element_map(const Marks& marks);

}  // namespace warpgrade::harness
