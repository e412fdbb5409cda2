// Decides which elements of a result are right.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "cases/dataset.hpp"

namespace warpgrade::harness {

enum class Mark : std::uint8_t { right, wrong, never_written };

struct Marks {
  std::int64_t wrong() const;  // number of elements that are not right

  Shape shape;
  std::vector<Mark> values;  // one for each element
};

// Marks of vectors instead of elements: the worst mark of the `parts` elements of each vector.
Marks of_vectors(const Marks& marks, std::int64_t parts);

// Whether `got` is within `allowed` of `exact`. Always false for NaN: it fails every comparison.
inline bool is_close(double got, double exact, double allowed) { return std::fabs(got - exact) <= allowed; }

// Whether `got`, an element of the output, is right for element `index`.
bool is_right(const Expected& expected, std::size_t index, const RawNumber& got);

// Whether all elements are right, at the speed of memory: the common case of large results.
bool all_right(const Expected& expected, const Array& result);

// A wrong element that holds its mark was never written. For types of 8 bits one in 256 wrong elements holds
// its mark by chance: there, marks count only where a sixteenth of the wrong elements hold them.
Marks judge(const Dataset& data, const Array& result);

}  // namespace warpgrade::harness
