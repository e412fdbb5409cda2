// Finds a pattern of the wrong elements of a result, which points to the bug.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launches/launch_shape.hpp"
#include "patterns/marks.hpp"

namespace warpgrade::harness {

// name is one of
//   never-written     none of the wrong elements was written
//   blocks-never-written  the same, and all elements of some blocks are wrong and none of the others
//   grid-for-block    the same, and blocks begin at blockIdx.x * gridDim.x (unreached.hpp)
//   thread-for-block  these or unchanged ones, and the others are those whose index is
//                     threadIdx.x * blockDim.x + blockIdx.x (unreached.hpp)
//   step-for-block    the same, or unchanged ones, and blocks begin too far from one another (unreached.hpp)
//   one-of-each-block, one-of-each-group, diagonal-of-each-block  zeros, unchanged or never-written ones
//                     everywhere but at these places (in_blocks.hpp)
//   last-left-out     these or unchanged ones, rank 1: the last elements of all
//   unchanged         an array that is updated: all wrong elements are what they were before the launch
//   zeros             all wrong elements are 0
//   negative-ones     zeros, where all that should be negative are wrong, and no other
//   infinite          all wrong elements are infinite
//   not-a-number      all wrong elements are NaN
//   bits-of-an-integer  all wrong elements are subnormal floats: the bits of small integers
//   negated           all wrong elements are the negatives of the expected ones
//   absolute-value    the same, and they are all that should be negative
//   multiplied        all wrong elements are two, three or four times the expected ones
//   whole-numbers     all wrong elements are whole numbers, and should not be
//   rounded-to-float  doubles that are all as exact as floats
//   transposed        the right result of rank 2, with rows and columns swapped
//   same-in-each-block  all elements of a block, of its rows or of its columns, hold one value
//   same-in-each-group  a few neighbours hold one value, where a thread has several elements
//   shifted           each holds the value of another element; also exchanged-in-block, repeated,
//                     displaced and turns-overwritten (displaced.hpp)
//   first-part-again  each holds what belongs to the first part of its block (displaced.hpp)
//   carried-on        each also counts what the element so far before it holds (carried_on.hpp)
//   same-difference   all elements are too large, or too small, by the same amount
//   one-value         integers that are all the same, and not 0
//   another-order     an array whose values are to be reordered has all of them, at other places
//   too-small         integers that are all below the expected ones; also too-large
//   last-tile-column  all wrong elements lie in the last, partial tile column (also -row, -row-or-column)
//   last-block        rank 1: all lie in the last, partial block
//   edge              rank 2 and more: all so near to an end of a dimension, and no other
//   edge-left-out     the same, of elements that were never written
//   all               no element is right
//   from-index        rank 1: all elements from one index on
//   every-nth         rank 1: the same place in each group of n elements
//   slices            rank 2 and more: they fill some rows, planes or parts of vectors
//   nearly-all        few elements are right, perhaps by chance
//   tile-rows         they fill whole rows of tiles; also tile-columns, or tiles for any other set of them
//   beside-diagonal   a square matrix of which the diagonal alone is right
//   diagonal-tiles    they fill all tiles but those on the diagonal
//   blocks            rank 1: they fill whole blocks
//   edges-of-blocks   they lie near the edges where two blocks meet
//   scattered         none of these
// or a name of the lab's own.
struct Pattern {
  std::string of_many() const { return of_each ? "each " + words : words; }
  std::string of_one() const { return of_each ? ", and " + words : ""; }  // if one element is wrong

  std::string name;
  std::string words;              // completes "… of … elements are wrong: "
  std::optional<int> phase = {};  // the first phase of the lab's algorithm whose contribution is missing
  bool of_each = false;           // `words` describe each wrong value ("is 0"), not their places
};

inline Pattern of_values(const std::string& name, const std::string& words) {
  return {name, words, {}, true};
}

// A result with at least one element that is not right.
struct WrongResult {
  bool all(const std::function<bool(std::size_t)>& test) const;  // every wrong element passes the test
  const LaunchShape* shape() const { return coverage.shape; }

  const Dataset& data;
  const Array& result;
  const Marks& marks;
  Coverage coverage;               // the launch that covers the array
  std::vector<std::size_t> wrong;  // in row-major order
};

// A lab's own pattern in the values of the wrong elements.
using FindPattern = std::function<std::optional<Pattern>(const WrongResult& wrong)>;

Pattern find_pattern(const Dataset& data, const Array& result, const Marks& marks, const Coverage& coverage,
                     const FindPattern& own = nullptr);

}  // namespace warpgrade::harness
