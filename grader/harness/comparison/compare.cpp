#include "comparison/compare.hpp"

#include <algorithm>
#include <sstream>

#include "comparison/element_map.hpp"
#include "comparison/watch.hpp"

namespace warpgrade::harness {
namespace {

// Writes a number with enough digits to distinguish any two numbers of the type.
std::string number(ElementType type, const RawNumber& raw) {
  std::ostringstream text;
  text.precision(type == ElementType::f64 ? 17 : 9);
  if (is_floating(type))
    text << raw.value;
  else if (type == ElementType::u64)
    text << static_cast<std::uint64_t>(raw.integer);
  else
    text << raw.integer;
  return text.str();
}

// Sets the block and thread that compute the first wrong element, and the block's elements.
void find_owner(Wrong& wrong, const LaunchShape& shape) {
  const std::size_t rank = wrong.shape.size() - (wrong.vector > 1 ? 1 : 0);
  wrong.first.assign(wrong.shape.size(), 0);
  wrong.last = wrong.shape;
  wrong.last.back() = wrong.shape.back() - 1;
  for (std::size_t axis = 0; axis < rank; ++axis) {  // 0: x, the last dimension that blocks divide
    const std::size_t dimension = rank - 1 - axis;
    const std::int64_t index = wrong.index[dimension], size = shape.outputs[axis];
    wrong.block.push_back(static_cast<int>(index / size));
    wrong.first[dimension] = index / size * size;
    wrong.last[dimension] = std::min(wrong.first[dimension] + size, wrong.shape[dimension]) - 1;
    if (shape.one_output_each()) wrong.thread.push_back(static_cast<int>(index % size));
  }
}

// Adds the full stop, unless the pattern ends with a question.
std::string ended(const std::string& words) { return words.ends_with('?') ? words : words + "."; }

std::string sentence(const Wrong& wrong, const Pattern& pattern, const std::string& where) {
  const std::string first = wrong.array + where + " should be " + number(wrong.type, wrong.expected);
  const std::string got =
      wrong.never_written ? " but was never written" : " but is " + number(wrong.type, wrong.got);
  const std::string many =
      std::to_string(wrong.count) + " of " + std::to_string(wrong.total) + " elements are wrong: ";
  if (wrong.count == 1)
    return ended(first + got + "; it is the only wrong one of " + std::to_string(wrong.total) +
                 pattern.of_one());
  return ended(first + got + "; " + many + pattern.of_many());
}

Wrong explain(const Dataset& data, const Array& result, const Marks& marks, const Coverage& coverage,
              const FindPattern& own) {
  const auto first =
      std::find_if(marks.values.begin(), marks.values.end(), [](Mark mark) { return mark != Mark::right; });
  const auto index = static_cast<std::size_t>(first - marks.values.begin());
  Wrong wrong;
  wrong.array = result.name;
  wrong.type = result.type;
  wrong.shape = result.shape;
  wrong.index = index_of(result.shape, index);
  wrong.total = static_cast<std::int64_t>(marks.values.size());
  wrong.count = marks.wrong();
  const Number expected = data.expected(result.name).at(index);
  wrong.expected = {expected.value(), expected.is_integer() ? expected.integer() : 0};
  wrong.got = result.at(index);
  wrong.never_written = *first == Mark::never_written;
  wrong.vector = coverage.vector;
  if (coverage.shape && !coverage.shape->blocks) {
    wrong.kernel = coverage.shape->kernel;
    find_owner(wrong, *coverage.shape);
  }

  const Pattern pattern = find_pattern(data, result, marks, coverage, own);
  wrong.pattern = pattern.name;
  wrong.phase = pattern.phase;
  wrong.explanation = sentence(wrong, pattern, subscript(result.shape, index));
  const Marks cells = of_vectors(marks, coverage.vector);
  wrong.map = element_map(cells);
  if (const MapAxes axes = map_axes(cells); axes.rows + 2 < cells.shape.size())
    wrong.axes = {axes.rows, axes.columns};
  return wrong;
}

}  // namespace

Outcome compare(const Dataset& data, const Array& result, const Coverage& coverage, const FindPattern& own) {
  if (watch_now)
    return (*watch_now)(data, result) ? Outcome::failure(Status::wrong_answer, "watched") : Outcome{};
  const Marks marks = judge(data, result);
  if (marks.wrong() == 0) return {};
  const Wrong wrong = explain(data, result, marks, coverage, own);
  Outcome outcome = Outcome::failure(Status::wrong_answer, wrong.explanation);
  outcome.wrong = wrong;
  return outcome;
}

Outcome compare(const Dataset& data, const HostArrays& results, const Kernels& kernels,
                const FindPattern& own) {
  for (const Array& result : results) {
    const Outcome outcome = compare(data, result, kernels.coverage_of(result.shape), own);
    if (outcome.status != Status::pass) return outcome;
  }
  return {};
}

}  // namespace warpgrade::harness
