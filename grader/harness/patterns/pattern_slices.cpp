#include <algorithm>

#include "patterns/pattern_places.hpp"

namespace warpgrade::harness {
namespace {

// For each dimension, the indices of the wrong elements.
std::vector<std::vector<bool>> indices_of(const WrongResult& q) {
  std::vector<std::vector<bool>> used;
  for (const std::int64_t extent : q.marks.shape) used.emplace_back(static_cast<std::size_t>(extent));
  for (const std::size_t element : q.wrong) {
    const Shape at = index_of(q.marks.shape, element);
    for (std::size_t d = 0; d < at.size(); ++d) used[d][static_cast<std::size_t>(at[d])] = true;
  }
  return used;
}

std::size_t count(const std::vector<bool>& in) {
  return static_cast<std::size_t>(std::count(in.begin(), in.end(), true));
}

// Whether the wrong elements lie in so small a part of all that chance has not put them there, although some
// there are right, such as a 0 that stays 0.
bool is_apart(const WrongResult& q, std::size_t elements) {
  constexpr std::size_t part = 4;
  return elements * part <= q.marks.values.size() && q.wrong.size() * part >= elements * (part - 1);
}

}  // namespace

std::optional<Pattern> in_slices(const WrongResult& q) {
  if (q.marks.shape.size() < 2 || q.wrong.size() < enough) return {};
  const std::vector<std::vector<bool>> used = indices_of(q);
  std::size_t elements = 1;
  for (const std::vector<bool>& indices : used) elements *= count(indices);
  const bool is_filled = q.wrong.size() * nearly >= elements * (nearly - 1);
  if (elements == q.marks.values.size() || (!is_filled && !is_apart(q, elements))) return {};
  std::string words = (is_filled ? "they fill " : "all of them are in ") + q.result.name;
  for (const std::vector<bool>& indices : used)
    words += "[" + (count(indices) == indices.size() ? "·" : index_list(indices)) + "]";
  return Pattern{"slices", words};
}

}  // namespace warpgrade::harness
