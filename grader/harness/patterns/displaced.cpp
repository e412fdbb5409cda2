#include "patterns/displaced.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

namespace warpgrade::harness {
namespace {

constexpr std::size_t kFewest = 8;         // wrong elements: fewer may match by chance
constexpr std::size_t kLargest = 1 << 16;  // elements of a region
constexpr double kSparse = 4;              // least mean distance of neighbouring values, in widths of a match

struct Place {
  double value = 0;
  std::size_t index = 0;
};
struct Match {
  std::size_t wrong = 0, of = 0;  // the wrong element, and the one whose right value it holds
};

// The elements of the block that computes the element `index`. Axis 0 of a launch is the last of the array.
std::vector<std::size_t> block_of(const WrongResult& q, std::size_t index) {
  const std::vector<std::int64_t>& shape = q.result.shape;
  const std::vector<std::int64_t> at = index_of(shape, index);
  std::vector<std::size_t> found{0};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::size_t back = shape.size() - 1 - axis;
    const std::int64_t wide = q.shape() && back < 3 ? q.shape()->outputs[back] : shape[axis];
    const std::int64_t first = at[axis] / wide * wide, last = std::min(first + wide, shape[axis]);
    if (found.size() * static_cast<std::size_t>(last - first) > kLargest) return {};
    std::vector<std::size_t> longer;
    for (const std::size_t start : found)
      for (std::int64_t i = first; i < last; ++i)
        longer.push_back(start * static_cast<std::size_t>(shape[axis]) + static_cast<std::size_t>(i));
    found = std::move(longer);
  }
  return found;
}

// The expected values of these elements, sorted. Empty if they are few or lie too close together.
std::vector<Place> sorted_values(const Expected& expected, const std::vector<std::size_t>& region) {
  std::vector<Place> places;
  double allowed = 0;
  bool whole = true;
  for (const std::size_t i : region) {
    places.push_back({expected.at(i).value(), i});
    allowed = std::max(allowed, expected.tolerance_of(i));
    whole = whole && places.back().value == std::nearbyint(places.back().value);
  }
  if (whole) allowed = std::max(allowed, 0.5);
  std::ranges::sort(places, {}, &Place::value);
  if (places.size() < kFewest) return {};
  std::size_t apart = 1;
  for (std::size_t i = 1; i < places.size(); ++i)
    apart += places[i].value - places[i - 1].value > 2 * allowed;
  const double range = places.back().value - places.front().value;
  const bool sparse = range > kSparse * 2 * allowed * static_cast<double>(places.size());
  return sparse && 4 * apart >= 3 * places.size() ? places : std::vector<Place>{};
}

// The place whose expected value is closest to `value`, if it is close enough.
const Place* place_of(const std::vector<Place>& places, const Expected& expected, double value) {
  const auto after = std::ranges::lower_bound(places, value, {}, &Place::value);
  const Place* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (auto at = after == places.begin() ? after : after - 1; at != places.end() && at <= after; ++at)
    if (const double far = std::fabs(at->value - value); far < least) best = &*at, least = far;
  return best && least <= expected.tolerance_of(best->index) ? best : nullptr;
}

// For each wrong element of the region that was written, the element whose expected value it holds. Empty if
// one of them holds no such value.
std::vector<Match> matches(const WrongResult& q, const std::vector<std::size_t>& region) {
  const Expected& expected = q.data.expected(q.result.name);
  const std::vector<Place> places = sorted_values(expected, region);
  if (places.empty()) return {};
  std::vector<Match> found;
  for (const std::size_t i : region) {
    if (q.marks.values[i] != Mark::wrong) continue;
    const Place* place = place_of(places, expected, q.result.at(i).value);
    if (place == nullptr || place->index == i) return {};
    found.push_back({i, place->index});
  }
  return found.size() < kFewest ? std::vector<Match>{} : found;
}

// Whether more than one value in eight appears elsewhere too: fewer may be equal by chance.
bool has_repeats(const WrongResult& q, const std::vector<Match>& found) {
  std::set<std::size_t> seen;
  const auto repeats = std::ranges::count_if(found, [&](const Match& each) {
    return q.marks.values[each.of] == Mark::right || !seen.insert(each.of).second;
  });
  return static_cast<std::size_t>(repeats) * 8 > found.size();
}

bool is_shift(const WrongResult& q, const std::vector<Match>& found) {
  const auto step = [&](const Match& match) {
    std::vector<std::int64_t> from = index_of(q.result.shape, match.wrong);
    const std::vector<std::int64_t> to = index_of(q.result.shape, match.of);
    for (std::size_t axis = 0; axis < from.size(); ++axis) from[axis] = to[axis] - from[axis];
    return from;
  };
  const std::vector<std::int64_t> first = step(found.front());
  return std::ranges::all_of(found, [&](const Match& each) { return step(each) == first; });
}

// Whether each holds the value of the element of its block that has its row and its column exchanged.
bool is_exchanged(const WrongResult& q, const std::vector<Match>& found) {
  if (q.result.shape.size() != 2 || !q.shape() || q.shape()->blocks) return false;
  const std::int64_t wide = q.shape()->outputs[0], high = q.shape()->outputs[1];
  return std::ranges::all_of(found, [&](const Match& each) {
    const std::vector<std::int64_t> at = index_of(q.result.shape, each.wrong);
    const std::vector<std::int64_t> of = index_of(q.result.shape, each.of);
    return of[0] % high == at[1] % wide && of[1] % wide == at[0] % high;
  });
}

// Whether each wrong element of a list holds the value that belongs `step` places before it. Those that would
// get theirs from outside the list hold anything.
bool is_shifted_by(const WrongResult& q, std::int64_t step) {
  const Expected& expected = q.data.expected(q.result.name);
  const auto n = static_cast<std::int64_t>(q.result.count());
  std::size_t found = 0;
  for (const std::size_t i : q.wrong) {
    const std::int64_t from = static_cast<std::int64_t>(i) - step;
    if (from < 0 || from >= n) continue;
    const auto of = static_cast<std::size_t>(from);
    if (std::fabs(q.result.at(i).value - expected.at(of).value()) > expected.tolerance_of(of)) return false;
    ++found;
  }
  return found >= kFewest;
}

// Whether each wrong element of a matrix holds what belongs to the first rows and columns of its block, at
// the same place there.
bool is_of_first_part(const WrongResult& q, std::int64_t rows, std::int64_t columns) {
  const Expected& expected = q.data.expected(q.result.name);
  const std::int64_t wide = q.shape()->outputs[0], high = q.shape()->outputs[1];
  return q.all([&](std::size_t i) {
    const std::int64_t width = q.result.shape[1], row = static_cast<std::int64_t>(i) / width,
                       column = static_cast<std::int64_t>(i) % width;
    const auto of = static_cast<std::size_t>((row / high * high + row % high % rows) * width +
                                             column / wide * wide + column % wide % columns);
    return of != i && std::fabs(q.result.at(i).value - expected.at(of).value()) <= expected.tolerance_of(of);
  });
}

// The pattern of a block all parts of which hold what belongs to its first one.
std::optional<Pattern> first_part_again(const WrongResult& q) {
  if (q.result.shape.size() != 2 || !q.shape() || q.shape()->blocks) return {};
  const std::int64_t wide = q.shape()->outputs[0], high = q.shape()->outputs[1];
  for (const std::int64_t rows :
       {high, std::int64_t{64}, std::int64_t{32}, std::int64_t{16}, std::int64_t{8}})
    for (const std::int64_t columns :
         {wide, std::int64_t{64}, std::int64_t{32}, std::int64_t{16}, std::int64_t{8}})
      if (rows <= high && columns <= wide && rows * columns < high * wide &&
          is_of_first_part(q, rows, columns))
        return Pattern{
            "first-part-again",
            "each holds what belongs to the first " + std::to_string(rows) + " × " + std::to_string(columns) +
                " elements of its block, at the same place there: which part is computed must depend "
                "on the warp, or on the turn of a loop"};
  return {};
}

// The pattern of a list that is shifted as a whole, over its begin or its end.
std::optional<Pattern> shifted_list(const WrongResult& q) {
  if (q.result.shape.size() != 1 ||
      sorted_values(q.data.expected(q.result.name), block_of(q, q.wrong.front())).empty())
    return {};
  for (const std::int64_t step : {1, -1})
    if (is_shifted_by(q, step))
      return Pattern{"shifted", std::string("each holds the value that belongs one place ") +
                                    (step > 0 ? "before" : "behind") +
                                    " it: the index of the store is one too " +
                                    (step > 0 ? "large" : "small")};
  return {};
}

}  // namespace

std::optional<Pattern> displaced(const WrongResult& q) {
  if (q.wrong.size() < kFewest || q.coverage.vector != 1) return {};
  const std::vector<Match> found = matches(q, block_of(q, q.wrong.front()));
  if (found.empty()) return shifted_list(q);
  const auto name = [&](std::size_t i) { return q.result.name + subscript(q.result.shape, i); };
  const std::string example = ", as " + name(found.front().wrong) + " that of " + name(found.front().of);
  const auto is_unwritten = [&](std::size_t i) { return q.marks.values[i] == Mark::never_written; };
  if (std::ranges::all_of(found, [&](const Match& each) { return is_unwritten(each.of); }))
    return Pattern{
        "turns-overwritten",
        "those that were written hold values of others that never were" + example +
            ": each turn of a loop stores in the same place, as if the index lacked the loop's variable"};
  if (std::ranges::any_of(q.wrong, is_unwritten)) return {};
  if (const auto pattern = first_part_again(q)) return pattern;
  if (is_shift(q, found))
    return Pattern{"shifted", "each holds the value of another element, always as far away" + example};
  if (is_exchanged(q, found))
    return Pattern{"exchanged-in-block",
                   "each holds the value of the element of its block with row and column exchanged" +
                       example +
                       ": threadIdx.x and threadIdx.y, or the two indices of a shared array, have changed "
                       "places on the way"};
  if (has_repeats(q, found))
    return Pattern{
        "repeated",
        "each holds the value of another element of its block, and some of these values stand there "
        "twice, as if an index did not change from turn to turn of a loop" +
            example};
  return Pattern{"displaced",
                 "each holds the value of another element of its block, as if they were stored "
                 "in another order than they were computed" +
                     example};
}

}  // namespace warpgrade::harness
