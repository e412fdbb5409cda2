#include <algorithm>

#include "patterns/pattern_places.hpp"

namespace warpgrade::harness {
namespace {

// How many elements lie between this one and the nearest end of a dimension.
std::int64_t depth_of(const Shape& shape, std::size_t element) {
  const Shape at = index_of(shape, element);
  std::int64_t least = shape.front();
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    least = std::min({least, at[axis], shape[axis] - 1 - at[axis]});
  return least;
}

}  // namespace

std::optional<Pattern> at_edge(const WrongResult& q) {
  const Shape& shape = q.marks.shape;
  if (shape.size() < 2 || q.wrong.size() < enough) return {};
  std::int64_t deepest = 0;
  for (const std::size_t element : q.wrong) deepest = std::max(deepest, depth_of(shape, element));
  if (2 * (deepest + 1) >= *std::ranges::min_element(shape)) return {};  // nothing within is right
  std::size_t elements = 0;
  for (std::size_t i = 0; i < q.marks.values.size(); ++i) elements += depth_of(shape, i) <= deepest;
  if (q.wrong.size() * nearly < elements * (nearly - 1)) return {};
  const std::string deep = deepest ? std::to_string(deepest + 1) + " elements deep, " : "";
  return Pattern{"edge", "they are those at the edge of the array, " + deep + "and all within are right"};
}

}  // namespace warpgrade::harness
