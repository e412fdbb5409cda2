// Typical mistakes: what a kernel that makes one of them would have computed.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "patterns/pattern.hpp"

namespace warpgrade::harness {

struct Hypothesis {
  std::string name;   // of the pattern: "last-phase-only"
  std::string words;  // what holds for each wrong element: "lacks the first product"
  // The element of the result, by its row-major index, that the mistake gives. Evaluated only where needed.
  std::function<double(std::size_t element)> value;
  // Whether the mistake leaves the element unwritten; it then has no value. Default: it leaves out none.
  std::function<bool(std::size_t element)> leaves_out = {};
  bool is_exact = false;  // must give right values for all right elements, not only for most
};

// The first hypothesis that gives the value of every wrong element, and right values for most of the right
// ones. None if there is no such hypothesis, or if so few digits agree that chance may explain them.
std::optional<Pattern> explained(const WrongResult& wrong, const std::vector<Hypothesis>& hypotheses);

}  // namespace warpgrade::harness
