#include "patterns/axes.hpp"

#include <doctest/doctest.h>

#include "tests/harness/wrong_results.hpp"

using namespace warpgrade::harness;

TEST_CASE("a result whose channels stand last, and one whose planes are turned") {
  const Shape shape = {3, 4, 5};
  Dataset data(Case{"c", {}, "", 5, {}});
  data.output<float>("V", shape);
  for (std::size_t i = 0; i < element_count(shape); ++i) data.expected("V").set(i, static_cast<double>(i), 0);
  const Array right = right_result(data, "V");
  const auto stored = [&](auto place) {
    Array result = right;
    for (std::size_t i = 0; i < right.count(); ++i) {
      const Shape at = index_of(shape, i);
      result.data<float>()[place(at)] = right.data<float>()[i];
    }
    return find_pattern(data, result, judge(data, result), {});
  };
  const Pattern last = stored([](const Shape& at) { return (at[1] * 5 + at[2]) * 3 + at[0]; });
  CHECK(last.name == "axes-exchanged");
  CHECK(last.words ==
        "the result is right but stored as an array of 4 × 5 × 3, with the dimensions 1, 2, 0 of V in this "
        "order, "
        "counted from 0");
  CHECK(stored([](const Shape& at) { return (at[0] * 5 + at[2]) * 4 + at[1]; }).name == "axes-exchanged");
  CHECK(stored([](const Shape& at) { return (at[0] * 4 + at[1]) * 5 + 4 - at[2]; }).name != "axes-exchanged");
}
