#include "patterns/in_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "patterns/pattern_places.hpp"

namespace warpgrade::harness {
namespace {

using Index = std::vector<std::int64_t>;

// The sides of a block of the launch that covers the array, the slowest dimension first. None if the launch
// has a given number of blocks, each of which computes elements in several places.
Index sides_of(const WrongResult& q) {
  const std::size_t rank = q.marks.shape.size();
  if (!q.shape() || q.shape()->blocks || rank == 0 || rank > 3) return {};
  Index sides;
  for (std::size_t axis = rank; axis-- > 0;)
    sides.push_back(std::min<std::int64_t>(q.shape()->outputs[axis], q.marks.shape[rank - 1 - axis]));
  return sides;
}

// The place of an element in its block.
Index place_of(const WrongResult& q, const Index& sides, std::size_t element) {
  Index at = index_of(q.marks.shape, element);
  for (std::size_t axis = 0; axis < at.size(); ++axis) at[axis] %= sides[axis];
  return at;
}

// The places that are right in every block. None if other places are right in more than one block of sixteen.
std::vector<Index> right_places(const WrongResult& q, const Index& sides) {
  // Place → number of blocks that have it, and number of those in which it is wrong.
  std::map<Index, std::pair<std::size_t, std::size_t>> found;
  for (std::size_t i = 0; i < q.marks.values.size(); ++i) {
    auto& [count, wrong] = found[place_of(q, sides, i)];
    ++count;
    wrong += q.marks.values[i] != Mark::right;
  }
  std::vector<Index> right;
  for (const auto& [place, each] : found) {
    if (each.second == 0)
      right.push_back(place);
    else if (each.second * nearly < each.first * (nearly - 1))
      return {};
  }
  return right;
}

// Whether each row and each column of a block has some of the places, and about as many as any other.
bool is_diagonal(const std::vector<Index>& places, const Index& sides) {
  if (sides.size() != 2) return false;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    std::vector<std::size_t> in(static_cast<std::size_t>(sides[axis]));
    for (const Index& place : places) ++in[static_cast<std::size_t>(place[axis])];
    const auto [fewest, longest] = std::ranges::minmax(in);
    const auto length = static_cast<std::size_t>(sides[1 - axis]);
    if (in.size() < 2 || fewest == 0 || longest > 2 * fewest || 2 * longest >= length) return false;
  }
  return true;
}

std::string subscripts(const Index& place) {
  std::string words;
  for (const std::int64_t at : place) words += "[" + std::to_string(at) + "]";
  return words;
}

// Whether elements of each block hold one value and should not. `along`: the axes along which they are equal.
bool is_same(const WrongResult& q, const Index& sides, const std::vector<bool>& along) {
  struct Group {
    double first, expected;
    std::size_t count = 0;
    bool differs = false;
  };
  std::map<Index, Group> groups;
  const Expected& expected = q.data.expected(q.result.name);
  for (std::size_t i = 0; i < q.marks.values.size(); ++i) {
    const double value = q.result.at(i).value;
    if (q.marks.values[i] == Mark::never_written || !std::isfinite(value)) return false;
    Index key = index_of(q.marks.shape, i);
    for (std::size_t axis = 0; axis < key.size(); ++axis)
      if (along[axis]) key[axis] /= sides[axis];
    Group& group = groups.try_emplace(key, Group{value, expected.at(i).value()}).first->second;
    if (value != group.first) return false;
    ++group.count;
    group.differs = group.differs || expected.at(i).value() != group.expected;
  }
  const double one = groups.begin()->second.first;  // of all blocks: as good as any number
  const auto is_wrong_or_small = [](const auto& each) {
    return each.second.differs || each.second.count < enough;
  };
  return std::ranges::all_of(groups, is_wrong_or_small) &&
         std::ranges::any_of(groups, [](const auto& each) { return each.second.differs; }) &&
         std::ranges::any_of(groups, [=](const auto& each) { return each.second.first != one; });
}

// one-of-each-group: of so many neighbours in a row of the array, always the same one is right.
std::optional<Pattern> right_in_each_group(const WrongResult& cells) {
  constexpr std::int64_t fewest = 8;  // neighbours: of fewer, each may be right for another reason
  const std::size_t rank = cells.marks.shape.size();
  if (rank < 2) return {};
  const std::int64_t width = cells.marks.shape[rank - 1];
  const auto is_right = [&](std::int64_t i) {
    return cells.marks.values[static_cast<std::size_t>(i)] == Mark::right;
  };
  std::vector<std::int64_t> right;  // of the first row
  for (std::int64_t column = 0; column < width; ++column)
    if (is_right(column)) right.push_back(column);
  if (right.size() < enough) return {};
  const std::int64_t apart = right[1] - right[0];
  if (apart < fewest || right[0] >= apart) return {};
  for (std::size_t i = 0; i < cells.marks.values.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (is_right(at) != (at % width % apart == right[0])) return {};
  }
  return Pattern{"one-of-each-group",
                 "; of every " + std::to_string(apart) +
                     " neighbours in a row only one is right, as if one of so many threads "
                     "alone came to the store"};
}

// same-in-each-group: threads have several elements, and so many neighbours hold one value.
std::optional<Pattern> same_in_each_group(const WrongResult& q) {
  constexpr int fewest = 4;  // neighbours: fewer may agree by chance
  const std::size_t rank = q.marks.shape.size();
  for (std::size_t axis = 0; axis < rank; ++axis) {  // of the launch: x first
    for (int side = q.shape()->outputs[axis] / q.shape()->threads[axis]; side >= fewest; side /= 2) {
      Index sides(rank, 1);
      std::vector<bool> along(rank, false);
      sides[rank - 1 - axis] = side;
      along[rank - 1 - axis] = true;
      if (is_same(q, sides, along))
        return Pattern{"same-in-each-group",
                       "each " + std::to_string(side) + " neighbours in a " + (axis == 0 ? "row" : "column") +
                           " hold one value: a thread has several elements, and each needs a sum of its own"};
    }
  }
  return {};
}

}  // namespace

std::optional<Pattern> right_in_each_block(const WrongResult& cells) {
  const std::size_t right = cells.marks.values.size() - cells.wrong.size();
  if (right == 0 || cells.wrong.size() < enough) return {};
  const Index sides = sides_of(cells);
  // One block shows no repetition, and its first element may be the only one that a wrong index reaches.
  const bool is_one_block = !sides.empty() && sides == cells.marks.shape && cells.shape()->one_output_each();
  if (right == 1 && cells.wrong.size() >= nearly && !is_one_block) {
    const auto at = std::ranges::find(cells.marks.values, Mark::right) - cells.marks.values.begin();
    return Pattern{"one-of-each-block", "; only " + cells.result.name +
                                            subscript(cells.marks.shape, static_cast<std::size_t>(at)) +
                                            " is right, as if one thread alone came to the store"};
  }
  if (const auto pattern = right_in_each_group(cells)) return pattern;
  if (sides.empty()) return {};
  const std::vector<Index> places = right_places(cells, sides);
  if (places.size() == 1 && !is_one_block)
    return Pattern{"one-of-each-block", "; of each block only one element is right, the one at " +
                                            subscripts(places.front()) +
                                            " in it, as if one thread alone came to the store: is that in a "
                                            "condition on threadIdx?"};
  if (is_diagonal(places, sides))
    return Pattern{
        "diagonal-of-each-block",
        "; in each block only elements along a diagonal are right, as if one index gave both the row "
        "and the column of an element"};
  return {};
}

std::optional<Pattern> same_in_each_block(const WrongResult& q) {
  const Index sides = sides_of(q);
  if (sides.empty() || sides.size() > 2 || q.coverage.vector != 1) return {};
  if (!q.shape()->one_output_each()) return same_in_each_group(q);
  struct Direction {
    std::vector<bool> along;
    const char *what, *index;
  };
  const std::vector<Direction> flat = {{{true, true}, "a block", "threadIdx"},
                                       {{false, true}, "a block's row", "threadIdx.x"},
                                       {{true, false}, "a block's column", "threadIdx.y"}};
  const std::vector<Direction> straight = {{{true}, "a block", "threadIdx"}};
  for (const Direction& each : sides.size() == 2 ? flat : straight) {
    bool is_wide = true;
    for (std::size_t axis = 0; axis < sides.size(); ++axis) is_wide = is_wide && sides[axis] > 1;
    if (is_wide && is_same(q, sides, each.along))
      return Pattern{"same-in-each-block", std::string("all elements of ") + each.what +
                                               " hold one value: what they are computed from "
                                               "does not depend on " +
                                               each.index +
                                               " as it should. Does each index take the part that "
                                               "is meant, x for columns and y for rows?"};
  }
  return {};
}

std::optional<Pattern> edges_of_blocks(const WrongResult& cells) {
  const Index sides = sides_of(cells);
  constexpr std::int64_t least = 8;  // elements of a side that has an inside
  // How far an element is from the nearest edge behind which there is another block.
  const auto from_edge = [&](std::size_t element) {
    const Index at = index_of(cells.marks.shape, element);
    std::int64_t nearest = -1;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const std::int64_t side = sides[axis], before = at[axis] % side, behind = side - 1 - before;
      if (side < least) continue;
      if (at[axis] >= side && (nearest < 0 || before < nearest)) nearest = before;
      if (at[axis] + behind + 1 < cells.marks.shape[axis] && (nearest < 0 || behind < nearest))
        nearest = behind;
    }
    return nearest;
  };
  std::int64_t farthest = 0, side = 0;
  for (const std::int64_t each : sides)
    if (each >= least && (side == 0 || each < side)) side = each;
  if (side == 0 || cells.wrong.size() < nearly) return {};
  for (const std::size_t element : cells.wrong) {
    const std::int64_t distance = from_edge(element);
    if (distance < 0 || 2 * (distance + 1) >= side) return {};
    farthest = std::max(farthest, distance);
  }
  std::size_t near = 0;
  for (std::size_t i = 0; i < cells.marks.values.size(); ++i) {
    const std::int64_t distance = from_edge(i);
    near += distance >= 0 && distance <= farthest;
  }
  if (2 * cells.wrong.size() < near) return {};
  const std::string far =
      farthest == 0 ? "beside" : "within " + std::to_string(farthest + 1) + " elements of";
  return Pattern{
      "edges-of-blocks",
      "they lie " + far +
          " the edges where two blocks meet: a thread there needs elements that belong "
          "to the block beside. Bring these, too, before any is used; only at the border of the array "
          "something else stands for them"};
}

}  // namespace warpgrade::harness
