// Results of which some elements are wrong, and the pattern that is found in them.
#pragma once
#include <bit>

#include "patterns/pattern.hpp"
#include "tests/harness/sample_data.hpp"

namespace warpgrade::harness {

inline const LaunchShape tiles_of_16 = shape_of({16, 16, 16, 16});
inline const float unwritten = std::bit_cast<float>(0x7fc5eed5u);

inline Pattern pattern_of(const Dataset& data, const Array& result, const LaunchShape& shape = tiles_of_16) {
  return find_pattern(data, result, judge(data, result), &shape, missing_phases);
}

// A right result, in which the elements that `choose` selects are replaced by `value(row, column)`.
template <class Choose, class Value>
Array spoilt(const Dataset& data, Choose choose, Value value) {
  Array result = right_result(data);
  for (int row = 0; row < data.as_int("m"); ++row)
    for (int column = 0; column < data.as_int("n"); ++column)
      if (choose(row, column)) element(result, row, column) = value(row, column);
  return result;
}

inline bool everywhere(int, int) { return true; }
inline float nonsense(int, int) { return 1e6f; }

}  // namespace warpgrade::harness
