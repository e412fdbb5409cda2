#include "patterns/pattern_places.hpp"

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

TEST_CASE("edge-left-out: what lies at the edge was never written") {
  const Dataset data = sample_data(40, 48, 5);
  const auto is_outer = [](int row, int column) {
    return row < 2 || column < 2 || row >= 38 || column >= 46;
  };
  const auto at = [](int, int) { return unwritten; };
  const Pattern found = pattern_of(data, spoilt(data, is_outer, at));
  CHECK(found.name == "edge-left-out");
  CHECK(contains(found.words, "those at the edge of the array, 2 elements deep"));
  const auto half = [&](int row, int column) { return is_outer(row, column) && column % 2 == 0; };
  CHECK(pattern_of(data, spoilt(data, half, at)).name != "edge-left-out");
}
