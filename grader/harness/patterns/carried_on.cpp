#include "patterns/carried_on.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace warpgrade::harness {
namespace {

// Whether element `i` is what it should be and what element `before` holds.
bool goes_on(const WrongResult& q, const Expected& expected, std::size_t i, std::size_t before) {
  const double held = q.result.at(before).value, allowed = 2 * expected.tolerance_of(i);
  return std::fabs(held) > 2 * allowed &&
         is_close(q.result.at(i).value, expected.at(i).value() + held, allowed);
}

}  // namespace

std::optional<Pattern> carried_on(const WrongResult& q) {
  constexpr std::size_t fewest = 8;     // wrong elements
  constexpr std::size_t far = 1 << 16;  // elements before the first wrong one that are looked at
  if (q.wrong.size() < fewest || !is_floating(q.result.type)) return {};
  const bool is_written = q.all([&](std::size_t i) { return q.marks.values[i] == Mark::wrong; });
  const Expected& expected = q.data.expected(q.result.name);
  const std::size_t first = q.wrong.front();
  for (std::size_t distance = 1; is_written && distance <= std::min(first, far); ++distance) {
    const auto follows = [&](std::size_t i) { return goes_on(q, expected, i, i - distance); };
    if (!follows(first) || !q.all(follows)) continue;
    const auto name = [&](std::size_t i) { return q.result.name + subscript(q.result.shape, i); };
    return of_values("carried-on", "counts what the thread has computed before, too, as " + name(first) +
                                       " what " + name(first - distance) +
                                       " holds: a sum begins at 0 for each element");
  }
  return {};
}

}  // namespace warpgrade::harness
