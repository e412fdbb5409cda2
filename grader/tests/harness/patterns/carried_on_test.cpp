#include "patterns/carried_on.hpp"

#include <doctest/doctest.h>

#include <string>

#include "tests/harness/sample_data.hpp"

using namespace warpgrade::harness;

static Pattern pattern_of(const Dataset& data, int rows_between, float more) {
  Array result = right_result(data);
  for (int row = rows_between; row < data.as_int("m"); ++row)
    for (int column = 0; column < data.as_int("n"); ++column)
      element(result, row, column) += element(result, row - rows_between, column) + more;
  const LaunchShape tiles = shape_of({16, 8, 16, 16});
  return find_pattern(data, result, judge(data, result), &tiles);
}

TEST_CASE("carried-on: a thread's sum goes on from one element to the next") {
  const Dataset data = sample_data(32, 20, 5);
  for (const int rows_between : {8, 16}) {  // of four elements and of two
    const Pattern found = pattern_of(data, rows_between, 0);
    CHECK(found.name == "carried-on");
    CHECK(found.words.find("as C[" + std::to_string(rows_between) + "][0] what C[0][0] holds") !=
          std::string::npos);
  }
  CHECK(pattern_of(data, 8, 1000).name != "carried-on");
}
