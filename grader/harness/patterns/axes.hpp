// Results that are right, and stored with their dimensions in another order.
#pragma once
#include <optional>

#include "patterns/pattern.hpp"

namespace warpgrade::harness {

// If the result is right as an array whose dimensions stand in another order, the pattern is transposed, of a
// matrix, or axes-exchanged.
std::optional<Pattern> in_another_layout(const WrongResult& wrong);

}  // namespace warpgrade::harness
