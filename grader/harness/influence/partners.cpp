// Which elements of two inputs are joined: the part of the search that changes two at once.
#include <algorithm>
#include <cmath>

#include "influence/search.hpp"

namespace warpgrade::harness {

// Of one input: its partners' own say the same.
void InfluenceSearch::find_partners() {
  for (Influence& input : found_) {
    if (input.weights.empty()) continue;
    bool is_found = false;
    for (std::size_t i = 0; i < before_.right.size(); ++i) {
      input.partners.push_back(partners(input, i));
      is_found = is_found || input.partners.back();
    }
    if (is_found) return;
  }
}

// The element of another input that one is joined with, where that acts otherwise than it should though it is
// the right one. None where there are several, as in a quotient.
std::optional<Partners> InfluenceSearch::partners(const Influence& input, std::size_t element) {
  const auto is_otherwise = [](const Weight& each) {
    const double difference = std::fabs(each.got - each.right);
    return each.right != 0 && each.got != 0 && difference > 4 * single * std::fabs(each.right);
  };
  const auto weight = std::ranges::find_if(input.weights[element], is_otherwise);
  if (weight == input.weights[element].end()) return {};
  for (const Influence& other : found_) {
    if (other.array == input.array || other.spans.empty()) continue;
    Partners found{weight->index, other.array, {}, {}};
    for (std::size_t axis = 0; axis < other.shape.size(); ++axis)
      if (!add_index(input, other, element, found)) break;
    if (found.right.size() == other.shape.size() && found.right != found.got) return found;
  }
  return {};
}

// Adds the partners' indices along the next dimension. False unless it is one each.
bool InfluenceSearch::add_index(const Influence& input, const Influence& other, std::size_t element,
                                Partners& found) {
  const std::size_t axis = found.right.size();
  std::vector<Span> parts = {Span{0, other.shape[axis] - 1}};
  Shape right, got;
  while (!parts.empty() && right.size() < 2 && got.size() < 2) {
    const Span part = parts.back();
    parts.pop_back();
    const std::optional<Joined> does = joined(input, found.index, other, axis, part, element);
    if (!does) return false;
    if (!does->right && !does->got) continue;
    if (part.width() > 1) {
      const std::int64_t middle = (part.first + part.last) / 2;
      parts.push_back({middle + 1, part.last});
      parts.push_back({part.first, middle});
      continue;
    }
    if (does->right) right.push_back(part.first);
    if (does->got) got.push_back(part.first);
  }
  if (right.size() != 1 || got.size() != 1) return false;
  found.right.push_back(right.front());
  found.got.push_back(got.front());
  return true;
}

std::optional<InfluenceSearch::Joined> InfluenceSearch::joined(const Influence& input, const Shape& index,
                                                               const Influence& other, std::size_t axis,
                                                               const Span& part, std::size_t element) {
  if (left_ < 3) return {};
  left_ -= 3;
  const Redraw::Choose one = [&](std::size_t i) {
    return i < element_count(input.shape) && index_of(input.shape, i) == index;
  };
  const Redraw::Choose some = [&](std::size_t i) {
    return i < element_count(other.shape) && part.has(index_of(other.shape, i)[axis]);
  };
  const auto a = run_({{input.array, one}}, Draw::other), b = run_({{other.array, some}}, Draw::other),
             both = run_({{input.array, one}, {other.array, some}}, Draw::other);
  if (!a || !b || !both) return {};
  const auto acts = [&](std::vector<double> Values::*of) {
    const double values[] = {(before_.*of)[element], ((*a).*of)[element], ((*b).*of)[element],
                             ((*both).*of)[element]};
    double size = 0;
    for (const double value : values) size = std::max(size, std::fabs(value));
    return std::fabs(values[0] - values[1] - values[2] + values[3]) > 4 * single * size;
  };
  return Joined{acts(&Values::right), acts(&Values::got)};
}

}  // namespace warpgrade::harness
