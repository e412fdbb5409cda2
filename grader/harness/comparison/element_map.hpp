// A small picture of the elements of an array: '.' right, '#' wrong, '?' never written.
#pragma once
#include <string>
#include <vector>

#include "patterns/marks.hpp"

namespace warpgrade::harness {

// At most 32×32 characters; each stands for an equal part of the array. An array of rank 1 fills rows of up
// to 32 parts. For an array of rank 3 or more the map shows the slice along map_axes().
std::vector<std::string> element_map(const Marks& marks);

// The two dimensions that a map shows. Usually the last two: if their slice through the first wrong element
// is right or wrong as a whole, the nearest pair of dimensions whose slice through it has both.
struct MapAxes {
  std::size_t rows = 0, columns = 0;
};
MapAxes map_axes(const Marks& marks);

}  // namespace warpgrade::harness
