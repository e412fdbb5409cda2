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

// Whether all elements are right. The common case, so it is as fast as memory allows.
bool all_right(const Expected& expected, const Array& result);

// A wrong element was never written if it still has the bytes with which the harness filled the array before
// the launch (never_written_marks()). One in 256 wrong elements of a type of 8 bits has them by chance: such
// elements count as never written only if at least a sixteenth of the wrong ones have them.
Marks judge(const Dataset& data, const Array& result);

}  // namespace warpgrade::harness
