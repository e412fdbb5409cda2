#include "influence/search.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "influence/operations.hpp"

namespace warpgrade::harness {
namespace {

constexpr int corners = 4;            // that weigh() changes of one input, for one element of the result
constexpr std::size_t few = 9;        // elements of one input that are all changed, each alone
constexpr double least_rounded = 16;  // change of a whole number beside which a lost fraction is little
constexpr double steady = 1e-3;       // relative difference of two changes that are in proportion
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

// All elements of which each index acts; none if they are many.
std::vector<Shape> few_acting(const Influence& input, std::size_t element) {
  std::vector<Shape> found = {{}};
  for (const std::vector<Span>& spans : input.spans) {
    std::vector<Shape> longer;
    for (const Shape& begin : found)
      for (const Span& span : spans) {
        if (!acts(span.of[element])) continue;
        if (span.width() > 1 || longer.size() >= few) return {};
        longer.push_back(begin);
        longer.back().push_back(span.first);
      }
    found = std::move(longer);
  }
  return found;
}

// The elements of the input that an element of the result needs.
std::vector<double> needed_numbers(const Influence& input, const Array& array, std::size_t element) {
  const auto is_needed = [&](const Shape& index) {
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      if (std::ranges::none_of(input.spans[axis], [&](const Span& span) {
            return span.of[element].needed && span.has(index[axis]);
          }))
        return false;
    return true;
  };
  std::vector<double> numbers;
  for (std::size_t i = 0; i < array.count(); ++i)
    if (is_needed(index_of(array.shape, i))) numbers.push_back(array.number(i));
  return numbers;
}

bool are_elements(const std::vector<double>& values, const Array& array) {
  std::set<double> elements;
  for (std::size_t i = 0; i < array.count(); ++i) elements.insert(array.number(i));
  return std::ranges::all_of(values, [&](double each) { return elements.contains(each); });
}

}  // namespace

bool InfluenceSearch::react(const std::string& array, const Redraw::Choose& chosen,
                            std::vector<Reaction>& reactions, Draw draw, double* by) {
  --left_;
  const std::optional<Values> after = run_({{array, chosen}}, draw);
  if (!after) return false;
  if (by) *by = after->by;
  reactions.clear();
  for (std::size_t i = 0; i < before_.right.size(); ++i) {
    const double rounding = single * (std::fabs(before_.got[i]) + std::fabs(after->got[i]));
    const double allowed = before_.allowed[i] + after->allowed[i] + rounding;
    reactions.push_back(
        reaction_of(after->right[i] - before_.right[i], after->got[i] - before_.got[i], allowed));
    reactions.back().meet = std::fabs(after->got[i] - after->right[i]) <= allowed;
  }
  return true;
}

// Where one of many elements decides, each of them acts if it becomes the largest or the smallest.
bool InfluenceSearch::react_to_any(const Influence& input, const Redraw::Choose& chosen,
                                   std::vector<Reaction>& reactions) {
  if (!react(input.array, chosen, reactions)) return false;
  if (!input.selects) return true;
  for (Reaction& each : reactions) each.same = acts(each) && each.meet;
  for (const Draw draw : {Draw::largest, Draw::smallest}) {
    if (std::ranges::all_of(reactions,
                            [](const Reaction& each) { return each.needed && each.used && each.same; }))
      return true;
    std::vector<Reaction> others;
    if (!react(input.array, chosen, others, draw)) return false;
    for (std::size_t i = 0; i < others.size(); ++i) {
      reactions[i].needed = reactions[i].needed || others[i].needed;
      reactions[i].used = reactions[i].used || others[i].used;
      reactions[i].same = reactions[i].same || (others[i].needed && others[i].used && others[i].meet);
    }
  }
  return true;
}

bool InfluenceSearch::react(const Influence& input, std::size_t axis, Span& span) {
  const auto within = [&](std::size_t element) {
    return element < element_count(input.shape) && span.has(index_of(input.shape, element)[axis]);
  };
  return react_to_any(input, within, span.of);
}

bool InfluenceSearch::look_at(const std::vector<const Array*>& inputs) {
  for (const Array* array : inputs) {
    Influence input{array->name, array->shape, are_elements(before_.right, *array), {}, {}, {}, {}};
    const auto all = [&](std::size_t element) { return element < array->count(); };
    if (input.selects && !selects(*array, input.selects)) return false;
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
  find_operations(inputs);
  return left_ >= 0;
}

// Changes single elements: all that act, if they are few, else those at the corners of what the oracle and
// the kernel use.
bool InfluenceSearch::weigh(Influence& input, std::size_t element) {
  std::vector<Shape> indices = few_acting(input, element);
  if (indices.empty())
    for (const auto acts : {&Reaction::needed, &Reaction::used})
      for (const bool is_last : {false, true}) indices.push_back(corner(input, element, acts, is_last));
  std::vector<Weight>& weights = input.weights.emplace_back();
  for (const Shape& index : indices) {
    if (index.empty() || left_ <= 0 || std::ranges::find(weights, index, &Weight::index) != weights.end())
      continue;
    const std::optional<Weight> found = weight(input, element, index);
    if (!found) return false;
    if (std::isfinite(found->right) && std::isfinite(found->got)) weights.push_back(*found);
  }
  return true;
}

// Not finite where the element stays as it was; none if the kernel breaks off.
std::optional<Weight> InfluenceSearch::weight(const Influence& input, std::size_t element,
                                              const Shape& index) {
  const auto is_it = [&](std::size_t i) {
    return i < element_count(input.shape) && index_of(input.shape, i) == index;
  };
  std::vector<Reaction> reactions;
  double by = 0;
  if (!react(input.array, is_it, reactions, Draw::other, &by)) return {};
  Weight found{index, reactions[element].right / by, reactions[element].got / by};
  if (!react(input.array, is_it, reactions, Draw::largest, &by)) return {};
  const double change = reactions[element].right;
  const bool is_whole = before_.allowed[element] == 0;  // small ones are exact, or the fraction is lost
  const double rounding = !is_whole                           ? 2 * before_.allowed[element]
                          : std::fabs(change) < least_rounded ? 0
                                                              : 2;
  found.is_steady = std::fabs(change - found.right * by) <=
                    rounding + steady * (std::fabs(change) + std::fabs(found.right * by));
  if (found.is_steady || !input.selects) return found;
  if (!react_to_any(input, is_it, reactions)) return {};
  return Weight{index, reactions[element].needed ? 1.0 : 0.0, reactions[element].used ? 1.0 : 0.0, false};
}

// Whether the right values are elements of the input also where all of these are the largest that there are.
// False if the kernel breaks off.
bool InfluenceSearch::selects(const Array& array, bool& is_one) {
  const auto all = [&](std::size_t element) { return element < array.count(); };
  std::vector<Reaction> reactions;
  double by = 0;
  if (!react(array.name, all, reactions, Draw::largest, &by)) return false;
  const double largest = array.number(0) + by;
  for (std::size_t i = 0; i < reactions.size(); ++i)
    is_one = is_one && before_.right[i] + reactions[i].right == largest;
  return true;
}

// Where kernel and oracle use the same elements, and few enough to be all that act.
void InfluenceSearch::find_operations(const std::vector<const Array*>& inputs) {
  if (!is_resolved_) return;
  for (std::size_t at = 0; at < found_.size(); ++at) {
    Influence& input = found_[at];
    if (!differs(input.whole)) continue;
    for (std::size_t i = 0; i < before_.right.size(); ++i) {
      const std::vector<double> numbers = needed_numbers(input, *inputs[at], i);
      const bool is_integer = before_.allowed[i] == 0;
      input.operations.push_back(
          {operations_giving(before_.right[i], numbers, before_.allowed[i], is_integer),
           operations_giving(before_.got[i], numbers, before_.allowed[i], is_integer)});
    }
  }
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

}  // namespace warpgrade::harness
