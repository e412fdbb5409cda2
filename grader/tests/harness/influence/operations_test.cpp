#include "influence/operations.hpp"

#include <doctest/doctest.h>

using namespace warpgrade::harness;

namespace {

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("what a number is made by") {
  const std::vector<double> numbers = {3, -5, 4, 7};
  CHECK(operations_giving(9, numbers, 0, true) == Names{"sum"});
  CHECK(operations_giving(2.25, numbers, 0, false) == Names{"mean"});
  CHECK(operations_giving(2, numbers, 0, true) == Names{"mean"});
  CHECK(operations_giving(7.001, numbers, 0.01, false) == Names{"largest"});
  CHECK(operations_giving(-5, numbers, 0, true) == Names{"smallest"});
  CHECK(operations_giving(-420, numbers, 0, true) == Names{"product"});
  CHECK(operations_giving(99, numbers, 0, true) == Names{"sum-of-squares"});
  CHECK(operations_giving(19, numbers, 0, true) == Names{"sum-of-magnitudes"});
  CHECK(operations_giving(8, numbers, 0, true).empty());
}

TEST_CASE("one number alone shows no operation") {
  CHECK(operations_giving(3, {3}, 0, true).empty());
  CHECK(operations_giving(0, {}, 0, true).empty());
}
