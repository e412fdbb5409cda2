#include "program/influence.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/cuda_check.hpp"
#include "base/errors.hpp"
#include "device/kept_addresses.hpp"
#include "influence/redraw.hpp"
#include "influence/search.hpp"
#include "program/session.hpp"

namespace warpgrade::harness {
namespace {

constexpr std::size_t most_candidates = 512;  // for an element that is looked at

// The results of a kernel; none if it breaks off.
std::optional<HostArrays> results_of(const LabProgram& lab, const Kernels& kernels, const Dataset& data) {
  try {
    const DeviceArrays on_device(data);
    lab.launch(kernels, on_device, data);
    check(cudaDeviceSynchronize(), "running the kernel");
    return on_device.copy_back();
  } catch (const CudaError&) {
    return {};
  } catch (const ImpossibleLaunch&) {
    return {};
  }
}

double number_at(const Array& array, std::size_t element) {
  const RawNumber raw = array.at(element);
  return is_floating(array.type) ? raw.value : static_cast<double>(raw.integer);
}

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
    if (marks.values[i] == Mark::wrong && std::isfinite(number_at(result, i)) &&
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
  Subject(const LabProgram& lab, const Kernels& kernels, const Redraw& redraw, std::string array,
          std::vector<std::size_t> elements)
      : lab_(lab),
        kernels_(kernels),
        redraw_(redraw),
        array_(std::move(array)),
        elements_(std::move(elements)) {}

  std::optional<Values> values(const Dataset& data) const {
    const auto results = results_of(lab_, kernels_, data);
    if (!results) return {};
    Values values;
    const Array& result = result_of(*results, array_);
    const Expected& expected = data.expected(array_);
    for (const std::size_t element : elements_) {
      const Number right = expected.at(element);
      values.right.push_back(right.is_integer() ? static_cast<double>(right.integer()) : right.value());
      values.got.push_back(number_at(result, element));
      values.allowed.push_back(expected.tolerance_of(element));
    }
    return values;
  }

  std::optional<Values> changed(const Redraw::Changes& changes) const {
    const Dataset data = redraw_.changed(changes);
    std::optional<Values> after = values(data);
    const auto& [input, chosen] = *changes.begin();
    const Array& before = redraw_.original().array(input);
    for (std::size_t i = 0; after && i < before.count(); ++i)
      if (chosen(i)) {
        after->by = number_at(data.array(input), i) - number_at(before, i);
        break;
      }
    return after;
  }

 private:
  const LabProgram& lab_;
  const Kernels& kernels_;
  const Redraw& redraw_;
  std::string array_;
  std::vector<std::size_t> elements_;
};

// The first array with wrong elements that were written.
const Array* wrong_one(const HostArrays& results, const Dataset& data) {
  for (const Array& result : results)
    if (judge(data, result).wrong() != 0) return &result;
  return nullptr;
}

bool is_same(const Values& a, const Values& b) { return a.right == b.right && a.got == b.got; }

void look(const LabProgram& lab, const Kernels& kernels, const Case& task, int runs, Results& records) {
  const KeptAddresses addresses;
  const Redraw redraw(lab.make, task);
  const Dataset& data = redraw.original();
  const auto results = results_of(lab, kernels, data);
  const Array* const result = results ? wrong_one(*results, data) : nullptr;
  if (!result) return;
  const std::vector<std::size_t> elements =
      chosen_elements(*result, data.expected(result->name), judge(data, *result));
  std::vector<const Array*> inputs;
  for (const std::string& name : redraw.arrays()) inputs.push_back(&data.array(name));
  if (elements.empty() || inputs.empty()) return;
  const Subject subject(lab, kernels, redraw, result->name, elements);
  const auto before = subject.values(data);
  if (!before) return;
  InfluenceSearch search(
      *before, [&](const auto& changes) { return subject.changed(changes); }, runs);
  if (!search.look_at(inputs)) return;
  const auto again = subject.values(data);
  if (again && is_same(*before, *again)) records.influence(task.name, *result, elements, *before, search);
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
