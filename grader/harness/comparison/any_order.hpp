// Results of which any order is right, such as those of a compaction.
#pragma once
#include "cases/dataset.hpp"
#include "comparison/pattern.hpp"
#include "results/outcome.hpp"

namespace warpgrade::harness {

// Puts the first `count` rows of the expected values into the order in which they stand in the result. A row
// is what one index of the first dimension has: an element, or a whole struct. A row that is wrong is
// expected to be the missing row with which it has the most elements in common.
void put_in_order(Expected& expected, const Array& result, std::int64_t count);

// Compares an output of which the first `count` rows may come in any order.
Outcome compare_in_any_order(const Dataset& data, const Array& result, std::int64_t count,
                             const FindPattern& own = nullptr);

}  // namespace warpgrade::harness
