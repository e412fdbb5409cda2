#include "program/influence.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "arrays/random_values.hpp"
#include "base/errors.hpp"
#include "comparison/watch.hpp"
#include "device/kept_addresses.hpp"
#include "influence/redraw.hpp"
#include "influence/search.hpp"
#include "program/session.hpp"

namespace warpgrade::harness {
namespace {

constexpr std::size_t most_candidates = 512;  // for an element that is looked at
constexpr std::size_t most_touched = 4;       // elements of a result that change with one of an input

// Runs a case, and shows the watch what is compared. A kernel that breaks off ends it.
void run_watched(const LabProgram& lab, const Kernels& kernels, const Dataset& data, const Watch& watch) {
  const Watching watching(watch);
  try {
    run_case(lab, data, kernels);
  } catch (const CudaError&) {
  } catch (const ImpossibleLaunch&) {
  }
}

// The first comparison of a run that finds wrong elements.
struct FirstWrong {
  std::size_t comparison = 0;  // its number in the run
  Array result;
  std::vector<std::size_t> elements;  // those to look at
};

std::size_t different_numbers(const Shape& shape, const std::vector<std::size_t>& elements) {
  std::set<std::int64_t> numbers;
  for (const std::size_t each : elements) {
    const Shape index = index_of(shape, each);
    numbers.insert(index.begin(), index.end());
  }
  return numbers.size();
}

// The first wrong element and two further on. Of those near such a place, the one that has no index in common
// with the others: so the relation shows between an element's indices and those of what it is made from.
std::vector<std::size_t> chosen_elements(const Array& result, const Expected& expected, const Marks& marks) {
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < marks.values.size(); ++i)
    if (marks.values[i] == Mark::wrong && std::isfinite(result.number(i)) &&
        std::isfinite(expected.at(i).value()))
      wrong.push_back(i);
  if (wrong.empty()) return {};
  std::vector<std::size_t> chosen = {wrong.front()};
  for (const double place : {0.39, 0.77}) {
    const auto begin = static_cast<std::size_t>(place * static_cast<double>(wrong.size()));
    std::size_t best = 0, most = 0;
    for (std::size_t at = begin; at < std::min(wrong.size(), begin + most_candidates); ++at) {
      std::vector<std::size_t> with = chosen;
      with.push_back(wrong[at]);
      const std::size_t numbers = different_numbers(result.shape, with);
      if (numbers <= most || std::ranges::find(chosen, wrong[at]) != chosen.end()) continue;
      best = wrong[at];
      most = numbers;
    }
    if (most > 0) chosen.push_back(best);
  }
  return chosen;
}

// One wrong array of a case, and the kernel that made it.
class Subject {
 public:
  // `is_whole`: of all elements together.
  Subject(const LabProgram& lab, const Kernels& kernels, const Redraw& redraw, const FirstWrong& wrong,
          bool is_whole)
      : lab_(lab), kernels_(kernels), redraw_(redraw), wrong_(wrong), is_whole_(is_whole) {
    if (is_whole)
      see(redraw.original(), [&](const Expected& expected, const Array& result) {
        for (std::size_t i = 0; i < result.count(); ++i) origin_.push_back(number_of(expected.at(i)));
      });
  }

  // Calls `look` with what is right in the comparison, and with the kernel's result; false if it breaks off.
  template <class Look>
  bool see(const Dataset& data, Look look) const {
    bool is_seen = false;
    std::size_t number = 0;
    run_watched(lab_, kernels_, data, [&](const Dataset& wanted, const Array& result) {
      if (number++ != wrong_.comparison) return false;
      look(wanted.expected(result.name), result);
      return is_seen = true;
    });
    return is_seen;
  }

  // None if the kernel breaks off.
  std::optional<Values> values(const Dataset& data) const {
    Values values;
    const bool is_seen = see(data, [&](const Expected& expected, const Array& result) {
      values = is_whole_ ? value_of_all(expected, result) : values_in(expected, result);
    });
    return is_seen ? std::optional(values) : std::nullopt;
  }

  // What a change of this element of an input does to the result; none where that is more than a few
  // elements.
  std::optional<ElementFootprint> footprint(const Array& input, std::size_t element) const {
    std::vector<double> right, got;
    const auto only = [&](std::size_t i) { return i == element; };
    const bool is_seen = see(redraw_.original(), [&](const Expected& expected, const Array& result) {
      for (std::size_t i = 0; i < result.count(); ++i) {
        right.push_back(number_of(expected.at(i)));
        got.push_back(result.number(i));
      }
    });
    ElementFootprint found{input.name, index_of(input.shape, element), {}, {}};
    const bool is_again =
        see(redraw_.changed({{input.name, only}}), [&](const Expected& expected, const Array& result) {
          for (std::size_t i = 0; i < std::min(result.count(), right.size()); ++i) {
            touch(found.right, result.shape, i, number_of(expected.at(i)) - right[i]);
            touch(found.got, result.shape, i, result.number(i) - got[i]);
          }
        });
    const bool is_small = found.right.size() <= most_touched && found.got.size() <= most_touched;
    return is_seen && is_again && is_small ? std::optional(found) : std::nullopt;
  }

  std::optional<Values> changed(const Redraw::Changes& changes, Draw draw) const {
    const Dataset data = redraw_.changed(changes, draw);
    std::optional<Values> after = values(data);
    const auto& [input, chosen] = *changes.begin();
    const Array& before = redraw_.original().array(input);
    for (std::size_t i = 0; after && i < before.count(); ++i)
      if (chosen(i)) {
        after->by = data.array(input).number(i) - before.number(i);
        break;
      }
    return after;
  }

 private:
  static double number_of(const Number& number) {
    return number.is_integer() ? static_cast<double>(number.integer()) : number.value();
  }

  static void touch(std::vector<Touched>& touched, const Shape& shape, std::size_t element, double by) {
    if (by != 0 && touched.size() <= most_touched) touched.push_back({index_of(shape, element), by});
  }

  // One number that changes with any element: each counts so many times, from what was right on. So a small
  // change does not vanish beside large numbers.
  Values value_of_all(const Expected& expected, const Array& result) const {
    Values values{{0}, {0}, {0}, 0};
    for (std::size_t i = 0; i < std::min(result.count(), origin_.size()); ++i) {
      const auto times = static_cast<double>(1 + mix_bits(i) % 4093);
      const double got = result.number(i);
      values.right[0] += times * (number_of(expected.at(i)) - origin_[i]);
      if (std::isfinite(got)) values.got[0] += times * (got - origin_[i]);
      values.allowed[0] += times * expected.tolerance_of(i);
    }
    return values;
  }

  Values values_in(const Expected& expected, const Array& result) const {
    Values values;
    for (const std::size_t element : wrong_.elements) {
      values.right.push_back(number_of(expected.at(element)));
      values.got.push_back(result.number(element));
      values.allowed.push_back(expected.tolerance_of(element));
    }
    return values;
  }

  const LabProgram& lab_;
  const Kernels& kernels_;
  const Redraw& redraw_;
  const FirstWrong& wrong_;
  bool is_whole_;
  std::vector<double> origin_;  // the right values before any change
};

std::optional<FirstWrong> first_wrong(const LabProgram& lab, const Kernels& kernels, const Dataset& data) {
  std::optional<FirstWrong> found;
  std::size_t number = 0;
  run_watched(lab, kernels, data, [&](const Dataset& wanted, const Array& result) {
    const Marks marks = judge(wanted, result);
    if (marks.wrong() != 0)
      found = {number, result, chosen_elements(result, wanted.expected(result.name), marks)};
    ++number;
    return found.has_value();
  });
  return found;
}

bool acts_by_value(const Influence& input) {
  return !input.selects && std::ranges::any_of(input.weights, [](const std::vector<Weight>& weights) {
    return std::ranges::any_of(
        weights, [](const Weight& each) { return !each.is_steady || (each.right == 0 && each.got == 0); });
  });
}

bool is_same(const Values& a, const Values& b) { return a.right == b.right && a.got == b.got; }

// Of a few elements of each input.
std::vector<ElementFootprint> footprints(const Subject& subject, const std::vector<const Array*>& inputs) {
  std::vector<ElementFootprint> found;
  for (const Array* input : inputs)
    for (const double place : {0.0, 0.21, 0.48, 0.83}) {
      const auto element = static_cast<std::size_t>(place * static_cast<double>(input->count()));
      const auto one = subject.footprint(*input, element);
      if (one && (!one->right.empty() || !one->got.empty())) found.push_back(*one);
    }
  return found;
}

// Writes what acts on these values. Returns whether elements of an input act by their values, as in a
// count of equal ones.
bool search_in(const Subject& subject, const Dataset& data, const std::vector<const Array*>& inputs,
               const std::vector<Shape>& indices, int runs, Results& records, const std::string& task) {
  const auto before = subject.values(data);
  if (!before) return false;
  InfluenceSearch search(
      *before, [&](const auto& changes, Draw draw) { return subject.changed(changes, draw); }, runs);
  if (!search.look_at(inputs)) return false;
  const auto again = subject.values(data);
  if (!again || !is_same(*before, *again)) return false;
  records.influence(task, indices, *before, search);
  return std::ranges::any_of(search.found(), acts_by_value);
}

void look(const LabProgram& lab, const Kernels& kernels, const Case& task, int runs, Results& records) {
  const KeptAddresses addresses;
  const Redraw redraw(lab.make, task);
  const Dataset& data = redraw.original();
  const auto wrong = first_wrong(lab, kernels, data);
  std::vector<const Array*> inputs;
  for (const std::string& name : redraw.arrays()) inputs.push_back(&data.array(name));
  if (!wrong || wrong->elements.empty() || inputs.empty()) return;
  std::vector<Shape> indices;
  for (const std::size_t element : wrong->elements) indices.push_back(index_of(wrong->result.shape, element));
  const Subject elements(lab, kernels, redraw, *wrong, false), whole(lab, kernels, redraw, *wrong, true);
  // Where elements of an input act by their values, no single element of the result shows all that act.
  if (search_in(elements, data, inputs, indices, runs, records, task.name) && wrong->result.count() > 1) {
    search_in(whole, data, inputs, {Shape{}}, runs, records, task.name);
    records.footprints(task.name, footprints(whole, inputs));
  }
}

}  // namespace

int run_influence(const Options& options, const LabProgram& lab) {
  Results records(options.results);
  const Kernels kernels(options.kernel, options.kernels);
  for (const Case& task : read_cases(options.data / "cases.json").cases)
    if (std::ranges::find(options.tried, task.name) != options.tried.end())
      look(lab, kernels, task, options.runs, records);
  records.end();
  return 0;
}

}  // namespace warpgrade::harness
