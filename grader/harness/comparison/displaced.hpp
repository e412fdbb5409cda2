// Wrong elements that hold the right values of other places.
#pragma once
#include <optional>

#include "comparison/pattern.hpp"

namespace warpgrade::harness {

// One of these patterns, where each wrong element of the first block with any, or of the array where no
// launch covers it, holds the right value of another place there:
//   shifted    always as far away
//   repeated   values of some places appear twice
//   displaced  each value appears once
// None where the values lie so close together that they would match by chance.
std::optional<Pattern> displaced(const WrongResult& wrong);

}  // namespace warpgrade::harness
