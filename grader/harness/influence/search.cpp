#include "influence/search.hpp"

#include <algorithm>
#include <cmath>

namespace warpgrade::harness {
namespace {

constexpr int corners = 4;          // that weigh() changes of one input, for one element of the result
constexpr double single = 0x1p-22;  // what the rounding of a float adds, in proportion
constexpr std::int64_t longest_step = 8, shortest_axis = 64, longest_axis = 4096;  // of split_evenly()

bool acts(const Reaction& reaction) { return reaction.needed || reaction.used; }

// What rounding may add counts as a change only where the other one changes as well.
Reaction reaction_of(double right, double got, double allowed) {
  Reaction reaction;
  reaction.needed = right != 0 && (got != 0 || std::fabs(right) > allowed);
  reaction.used = got != 0 && (right != 0 || !(std::fabs(got) <= allowed));
  reaction.same = std::fabs(got - right) <= allowed;
  reaction.right = right;
  reaction.got = got;
  return reaction;
}

// Whether kernel and oracle make something else of this part for one of the elements.
bool differs(const std::vector<Reaction>& reactions) {
  return std::ranges::any_of(reactions, [](const Reaction& each) { return acts(each) && !each.same; });
}

// The first or last index along each dimension at which a part acts; none where there is no such part.
Shape corner(const Influence& input, std::size_t element, bool Reaction::*acts, bool is_last) {
  Shape index;
  for (const std::vector<Span>& spans : input.spans) {
    std::int64_t at = -1;
    for (const Span& span : spans)
      if (span.of[element].*acts)
        at = is_last ? std::max(at, span.last) : at < 0 ? span.first : std::min(at, span.first);
    if (at < 0) return {};
    index.push_back(at);
  }
  return index;
}

using Alike = bool (*)(const Reaction&, const Reaction&);
bool are_alike(const Reaction& a, const Reaction& b) {
  return a.needed == b.needed && a.used == b.used && a.same == b.same;
}
bool are_used_alike(const Reaction& a, const Reaction& b) { return a.needed == b.needed && a.used == b.used; }
// Where a kernel leaves out some of each group, the ends of what is needed are of interest.
bool are_needed_alike(const Reaction& a, const Reaction& b) { return a.needed == b.needed; }

// Whether a part acts otherwise than one beside it. Beyond the ends, nothing acts.
bool is_edge(const std::vector<Span>& spans, std::size_t at, Alike alike) {
  const std::vector<Reaction> none(spans[at].of.size(), Reaction{false, false, true, 0, 0});
  const auto& before = at > 0 ? spans[at - 1].of : none;
  const auto& behind = at + 1 < spans.size() ? spans[at + 1].of : none;
  return !std::ranges::equal(spans[at].of, before, alike) || !std::ranges::equal(spans[at].of, behind, alike);
}

// Whether to look at the halves of a part: where kernel and oracle differ in a large one, or in one beside
// which they do otherwise; and where they agree, up to the ends of what they need.
bool says_too_little(const Influence& input, std::size_t axis, std::size_t at) {
  constexpr std::int64_t parts = 32;
  const std::vector<Span>& spans = input.spans[axis];
  const Span& span = spans[at];
  if (span.width() == 1 || std::ranges::none_of(span.of, acts)) return false;
  if (!input.every[axis].empty()) return is_edge(spans, at, are_needed_alike);
  if (!differs(span.of)) return is_edge(spans, at, are_used_alike);
  return span.width() * parts > input.shape[axis] || is_edge(spans, at, are_alike);
}

}  // namespace

bool InfluenceSearch::react(const std::string& array, const Redraw::Choose& chosen,
                            std::vector<Reaction>& reactions, double* by) {
  --left_;
  const std::optional<Values> after = run_({{array, chosen}});
  if (!after) return false;
  if (by) *by = after->by;
  reactions.clear();
  for (std::size_t i = 0; i < before_.right.size(); ++i) {
    const double rounding = single * (std::fabs(before_.got[i]) + std::fabs(after->got[i]));
    reactions.push_back(reaction_of(after->right[i] - before_.right[i], after->got[i] - before_.got[i],
                                    before_.allowed[i] + after->allowed[i] + rounding));
  }
  return true;
}

bool InfluenceSearch::react(const Influence& input, std::size_t axis, Span& span) {
  const auto within = [&](std::size_t element) {
    return element < element_count(input.shape) && span.has(index_of(input.shape, element)[axis]);
  };
  return react(input.array, within, span.of);
}

bool InfluenceSearch::look_at(const std::vector<const Array*>& inputs) {
  for (const Array* array : inputs) {
    Influence input{array->name, array->shape, {}, {}, {}, {}};
    const auto all = [&](std::size_t element) { return element < array->count(); };
    if (!react(array->name, all, input.whole)) return false;
    input.every.resize(array->shape.size());
    if (differs(input.whole))
      for (const std::int64_t extent : array->shape)
        input.spans.push_back({Span{0, extent - 1, 1, input.whole}});
    found_.push_back(input);
  }
  const int kept = left_ / 2;  // for single elements and their partners
  left_ -= kept;
  for (Influence& input : found_)
    for (std::size_t axis = 0; axis < input.spans.size(); ++axis)
      if (!split_evenly(input, axis)) return false;
  while (split_widest()) {
  }
  if (left_ < 0) return false;
  left_ += kept;
  for (Influence& input : found_)
    for (std::size_t i = 0; i < before_.right.size(); ++i)
      if (differs(input.whole) && !weigh(input, i)) return false;
  find_partners();
  return left_ >= 0;
}

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

// Changes single elements at the corners of what the oracle and the kernel use.
bool InfluenceSearch::weigh(Influence& input, std::size_t element) {
  std::vector<Weight>& weights = input.weights.emplace_back();
  for (const auto acts : {&Reaction::needed, &Reaction::used})
    for (const bool is_last : {false, true}) {
      const Shape index = corner(input, element, acts, is_last);
      if (index.empty() || left_ <= 0 || std::ranges::find(weights, index, &Weight::index) != weights.end())
        continue;
      std::vector<Reaction> reactions;
      const auto is_it = [&](std::size_t i) {
        return i < element_count(input.shape) && index_of(input.shape, i) == index;
      };
      double by = 0;
      if (!react(input.array, is_it, reactions, &by)) return false;
      const Reaction& own = reactions[element];
      if (by != 0 && std::isfinite(own.right) && std::isfinite(own.got))
        weights.push_back({index, own.right / by, own.got / by});
    }
  return true;
}

// Halves the part that is largest for its dimension, of those that say too little yet. False if there is
// none.
bool InfluenceSearch::split_widest() {
  double widest = 0;
  Influence* input = nullptr;
  std::size_t axis = 0, at = 0;
  for (Influence& each : found_)
    for (std::size_t a = 0; a < each.spans.size(); ++a)
      for (std::size_t i = 0; i < each.spans[a].size(); ++i) {
        const double share =
            static_cast<double>(each.spans[a][i].width()) / static_cast<double>(each.shape[a]);
        if (share <= widest || !says_too_little(each, a, i)) continue;
        widest = share;
        input = &each;
        axis = a;
        at = i;
      }
  is_resolved_ = !input;
  if (!input || left_ < 2) return false;
  Span left = input->spans[axis][at], right = left;
  left.last = (left.first + left.last) / 2;
  right.first = left.last + 1;
  if (!react(*input, axis, left) || !react(*input, axis, right)) {
    left_ = -1;
    return false;
  }
  input->spans[axis][at] = left;
  input->spans[axis].insert(input->spans[axis].begin() + static_cast<std::ptrdiff_t>(at) + 1, right);
  return true;
}

// Looks at every second index of a dimension, every fourth and so on: a kernel may leave out some of each
// group. False if it breaks off.
bool InfluenceSearch::split_evenly(Influence& input, std::size_t axis) {
  const std::int64_t extent = input.shape[axis];
  if (extent < shortest_axis || extent > longest_axis) return true;
  std::vector<Span> parts = {Span{0, extent - 1, 1, input.whole}};
  for (std::int64_t step = 2; step <= longest_step && step <= extent; step *= 2) {
    std::vector<Span> halves;
    for (const Span& part : parts) {
      if (!differs(part.of) || part.step != step / 2) {
        halves.push_back(part);
        continue;
      }
      for (const std::int64_t first : {part.first, part.first + part.step}) {
        if (left_ < 2) return true;
        Span half{first, part.last - (part.last - first) % step, step};
        if (!react(input, axis, half)) return false;
        halves.push_back(half);
      }
    }
    parts = std::move(halves);
  }
  for (std::size_t i = 0; i < input.whole.size(); ++i) {
    const auto is_needed = [&](const Span& part) { return part.of[i].needed; };
    const auto is_used = [&](const Span& part) { return part.of[i].used; };
    if (std::ranges::all_of(parts, is_needed) && !std::ranges::all_of(parts, is_used)) {
      input.every[axis] = std::move(parts);
      return true;
    }
  }
  return true;
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
  const auto a = run_({{input.array, one}}), b = run_({{other.array, some}}),
             both = run_({{input.array, one}, {other.array, some}});
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
