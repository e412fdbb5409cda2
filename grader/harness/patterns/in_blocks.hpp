// Wrong elements that repeat in each block: at the same places, with one value, or along the edges.
#pragma once
#include <optional>
#include <string>

#include "patterns/pattern.hpp"

namespace warpgrade::harness {

// If the same places of every block are right and all others wrong, and these places name a mistake, one of
//   one-of-each-block       a single place, or a single element of the whole array
//   one-of-each-group       rank 2 and more: the same one of so many neighbours in a row
//   diagonal-of-each-block  rank 2: a diagonal, so that rows and columns have equally many of them
// Its words follow those of the elements: "; of each block only …".
std::optional<Pattern> right_in_each_block(const WrongResult& cells);

// same-in-each-block: all elements of a block, or of each of its rows or columns, hold one value, and should
// not. same-in-each-group: the same of a few neighbours, where a thread has several elements.
std::optional<Pattern> same_in_each_block(const WrongResult& q);

// edges-of-blocks: all wrong elements lie near the edges at which two blocks meet.
std::optional<Pattern> edges_of_blocks(const WrongResult& cells);

}  // namespace warpgrade::harness
