#include "patterns/axes.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "patterns/pattern_places.hpp"

namespace warpgrade::harness {
namespace {

using Order = std::vector<std::size_t>;  // axes of the result, as they stand in memory

constexpr std::size_t kMatrix = 2, kMostAxes = 4;

// Whether each element was stored where an array with its axes in this order has it.
bool is_right_in(const WrongResult& q, const Order& order) {
  const Shape& shape = q.marks.shape;
  const Expected& expected = q.data.expected(q.result.name);
  for (std::size_t i = 0; i < q.marks.values.size(); ++i) {
    const Shape at = index_of(shape, i);
    std::int64_t place = 0;
    for (const std::size_t axis : order) place = place * shape[axis] + at[axis];
    if (!is_right(expected, i, q.result.at(static_cast<std::size_t>(place)))) return false;
  }
  return true;
}

std::string listed(const Order& order, const auto& each, const char* between) {
  std::string words;
  for (const std::size_t axis : order) words += (words.empty() ? "" : between) + std::to_string(each(axis));
  return words;
}

}  // namespace

std::optional<Pattern> in_another_layout(const WrongResult& q) {
  const Shape& shape = q.marks.shape;
  if (shape.size() < kMatrix || shape.size() > kMostAxes) return {};
  // Where all but one have a single element, every order looks the same.
  if (std::ranges::count_if(shape, [](std::int64_t extent) { return extent > 1; }) < 2) return {};
  Order order(shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  while (std::ranges::next_permutation(order).found) {
    if (!is_right_in(q, order)) continue;
    if (shape.size() == kMatrix)
      return Pattern{"transposed",
                     "the result is right but transposed, rows and columns are swapped where it is stored"};
    return Pattern{"axes-exchanged", "the result is right but stored as an array of " +
                                         listed(
                                             order, [&](std::size_t axis) { return shape[axis]; }, " × ") +
                                         ", with the dimensions " +
                                         listed(
                                             order, [](std::size_t axis) { return axis; }, ", ") +
                                         " of " + q.result.name + " in this order, counted from 0"};
  }
  return {};
}

}  // namespace warpgrade::harness
