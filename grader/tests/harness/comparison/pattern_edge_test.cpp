#include "comparison/pattern_places.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/harness/wrong_results.hpp"

using namespace warpgrade::harness;

TEST_CASE("the edge of an array is wrong, and all within is right") {
  const Dataset data = sample_data(20, 30, 8);
  Array result = right_result(data);
  for (int row = 0; row < 20; ++row)
    for (int column = 0; column < 30; ++column)
      if (std::min({row, column, 19 - row, 29 - column}) < 2) element(result, row, column) += 100.5f;
  const Pattern found = find_pattern(data, result, judge(data, result), nullptr);
  CHECK(found.name == "edge");
  CHECK(found.words.find("2 elements deep") != std::string::npos);
  element(result, 10, 15) += 100.5f;
  CHECK(find_pattern(data, result, judge(data, result), nullptr).name != "edge");
}
