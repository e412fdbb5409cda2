#include <algorithm>

#include "comparison/pattern_places.hpp"

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

}  // namespace

std::optional<Pattern> in_slices(const WrongResult& q) {
  if (q.marks.shape.size() < 2 || q.wrong.size() < enough) return {};
  const std::vector<std::vector<bool>> used = indices_of(q);
  std::size_t elements = 1;
  for (const std::vector<bool>& indices : used) elements *= count(indices);
  if (elements == q.marks.values.size() || q.wrong.size() * nearly < elements * (nearly - 1)) return {};
  std::string words = "they fill " + q.result.name;
  for (const std::vector<bool>& indices : used)
    words += "[" + (count(indices) == indices.size() ? "·" : index_list(indices)) + "]";
  return Pattern{"slices", words};
}

}  // namespace warpgrade::harness
