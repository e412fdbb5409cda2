#include "influence/operations.hpp"

#include <algorithm>
#include <cmath>

namespace warpgrade::harness {
namespace {

struct Operation {
  const char* name;
  double result;
};

std::vector<Operation> operations(const std::vector<double>& numbers) {
  double sum = 0, product = 1, squares = 0, magnitudes = 0;
  for (const double number : numbers) {
    sum += number;
    product *= number;
    squares += number * number;
    magnitudes += std::fabs(number);
  }
  const auto count = static_cast<double>(numbers.size());
  const auto [smallest, largest] = std::ranges::minmax_element(numbers);
  return {{"sum", sum},
          {"mean", sum / count},
          {"largest", *largest},
          {"smallest", *smallest},
          {"product", product},
          {"sum-of-squares", squares},
          {"sum-of-magnitudes", magnitudes}};
}

}  // namespace

std::vector<std::string> operations_giving(double value, const std::vector<double>& numbers, double allowed,
                                           bool is_integer) {
  std::vector<std::string> found;
  if (numbers.size() < 2) return found;
  for (const Operation& each : operations(numbers))
    if (std::fabs((is_integer ? std::trunc(each.result) : each.result) - value) <= allowed)
      found.emplace_back(each.name);
  return found;
}

}  // namespace warpgrade::harness
