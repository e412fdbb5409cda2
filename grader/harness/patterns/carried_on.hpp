// Sums of a thread that go on from one of its elements to the next.
#pragma once
#include <optional>

#include "patterns/pattern.hpp"

namespace warpgrade::harness {

// If each wrong element differs from the right one by what the element at one distance before it holds, the
// pattern is carried-on. Returns none if few elements are wrong, as these may match by chance.
std::optional<Pattern> carried_on(const WrongResult& wrong);

}  // namespace warpgrade::harness
