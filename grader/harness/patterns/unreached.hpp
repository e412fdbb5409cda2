// Elements that no block reaches, because the blocks begin at wrong places.
#pragma once
#include <optional>
#include <string>

#include "patterns/pattern.hpp"

namespace warpgrade::harness {

// If the wrong elements, all of which are unwritten or unchanged, are exactly those that the blocks of the
// launch miss by one of these mistakes, the pattern is
//   grid-for-block         a block begins at blockIdx.x * gridDim.x, where each thread computes one element
//   thread-for-block       a thread's index is threadIdx.x * blockDim.x + blockIdx.x, with one element each
//   step-for-block         a block begins at a multiple of its number that is more than its threads
//   blocks-never-written   rank 2: blockIdx.x counts rows of blocks and blockIdx.y columns, or a guard does
//   so
// Its words follow those of the elements: ", no block comes there …".
std::optional<Pattern> unreached(const WrongResult& cells);

// If every block writes the same indices along one axis, a clause that lists these: "; of the 16 columns of
// each block only these are: 0, …". Empty if the blocks differ, or if the list were too long.
std::string written_in_each_block(const WrongResult& cells);

}  // namespace warpgrade::harness
