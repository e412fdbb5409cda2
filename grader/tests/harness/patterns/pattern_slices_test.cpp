#include "patterns/pattern_places.hpp"

#include <doctest/doctest.h>

#include <functional>

#include "tests/harness/wrong_results.hpp"

using namespace warpgrade::harness;

static Pattern pattern_of_rank_3(const Shape& shape, const Coverage& coverage,
                                 const std::function<bool(const Shape&)>& is_wrong) {
  Dataset data(Case{"c", {}, "", 5, {}});
  data.output<float>("V", shape);
  Array result = right_result(data, "V");
  for (std::size_t i = 0; i < result.count(); ++i)
    if (is_wrong(index_of(shape, i))) result.data<float>()[i] = static_cast<float>(i) + 1;
  return find_pattern(data, result, judge(data, result), coverage);
}

TEST_CASE("slices of an array of three dimensions") {
  const Shape volume = {4, 5, 6};
  const auto planes = [](const Shape& at) { return at[0] == 1 || at[0] == 3; };
  CHECK(pattern_of_rank_3(volume, {}, planes).name == "slices");
  CHECK(pattern_of_rank_3(volume, {}, planes).words == "they fill V[1, 3][·][·]");
  const auto part = [](const Shape& at) { return at[0] < 3 && at[2] == 5 && at[1] > 1; };
  CHECK(pattern_of_rank_3(volume, {}, part).words == "they fill V[0–2][2–4][5]");
  const auto diagonal = [](const Shape& at) { return at[0] == at[1]; };
  CHECK(pattern_of_rank_3(volume, {}, diagonal).name == "scattered");
  const auto most_of_a_column = [](const Shape& at) { return at[2] == 0 && at[0] != at[1]; };
  CHECK(pattern_of_rank_3(volume, {}, most_of_a_column).words == "all of them are in V[·][·][0]");
  const auto all_but_one = [](const Shape& at) { return at != Shape{2, 2, 2}; };
  CHECK(pattern_of_rank_3(volume, {}, all_but_one).name == "nearly-all");
}

TEST_CASE("vectors: a part of each, or all parts in some tiles") {
  const LaunchShape tiles = shape_of({8, 8, 8, 8});
  const Shape image = {16, 16, 4};
  const auto blue = [](const Shape& at) { return at[2] == 2; };
  CHECK(pattern_of_rank_3(image, {&tiles, 4}, blue).words == "they fill V[·][·][2]");
  const auto corners = [](const Shape& at) { return (at[0] < 8) == (at[1] < 8); };
  CHECK(pattern_of_rank_3(image, {&tiles, 4}, corners).name == "tiles");
  const auto last = [](const Shape& at) { return at[1] == 16; };
  CHECK(pattern_of_rank_3({16, 17, 4}, {&tiles, 4}, last).name == "last-tile-column");
}
