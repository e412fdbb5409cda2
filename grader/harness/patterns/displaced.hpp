// Wrong elements that hold the expected values of other elements.
#pragma once
#include <optional>

#include "patterns/pattern.hpp"

namespace warpgrade::harness {

// Searches the block of the first wrong element, or the whole array if no launch covers it. If each wrong
// element there that was written holds the expected value of another element, the pattern is
//   turns-overwritten  if each of these others was never written
// and, if all elements were written,
//   shifted    if the distance between the two elements is the same for all
//   exchanged-in-block  if its row and its column in the block are exchanged
//   repeated   if some values appear more than once
//   displaced  if each value appears once
// Returns none if the expected values lie so close together that they would match by chance.
std::optional<Pattern> displaced(const WrongResult& wrong);

}  // namespace warpgrade::harness
