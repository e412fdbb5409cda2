// Typical mistakes: what a kernel that makes one of them would have computed.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comparison/pattern.hpp"

namespace warpgrade::harness {

struct Hypothesis {
  std::string name;   // of the pattern: "last-phase-only"
  std::string words;  // what holds of each wrong element: "lacks the first product"
  // The element of the result, by its row-major index, that the mistake gives. Evaluated only where needed.
  std::function<double(std::size_t element)> value;
};

// The first hypothesis that explains every wrong element and leaves most of the right ones right. None where
// none does, or where so few digits agree that they may do so by chance.
std::optional<Pattern> explained(const WrongResult& wrong, const std::vector<Hypothesis>& hypotheses);

}  // namespace warpgrade::harness
