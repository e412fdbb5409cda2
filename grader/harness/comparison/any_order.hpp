// Results of which any order is right, such as those of a compaction.
#pragma once
#include "cases/dataset.hpp"
#include "patterns/pattern.hpp"
#include "results/outcome.hpp"

namespace warpgrade::harness {

// Sorts the first `count` rows of the expected values into the order of the result. A row has one index of
// the first dimension: it is an element or a whole struct. A wrong row is paired with the missing row that
// has the most elements in common with it.
void put_in_order(Expected& expected, const Array& result, std::int64_t count);

// Compares an output of which the first `count` rows may come in any order.
Outcome compare_in_any_order(const Dataset& data, const Array& result, std::int64_t count,
                             const FindPattern& own = nullptr);

}  // namespace warpgrade::harness
