#include "patterns/pattern_places.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "tests/harness/wrong_results.hpp"

using namespace warpgrade::harness;

static View add_counts(Dataset& data, int count, bool is_updated) {
  if (!is_updated) return data.output<std::int32_t>("counts", {count});
  data.inout<std::int32_t>("counts", {count});
  return data.expected_of("counts");
}

static Pattern pattern_1d(const std::vector<int>& wrong, int count, const LaunchShape& shape, int error,
                          bool is_updated = false) {
  Dataset data(Case{"c", {}, "", 5, {}});
  const View counts = add_counts(data, count, is_updated);
  for (int i = 0; i < count; ++i) counts(i) = 100 + i;
  Array result = right_result(data, "counts");
  for (std::size_t i = 0; i < wrong.size(); ++i)  // too large and too small in turns
    result.data<std::int32_t>()[wrong[i]] += i % 2 && error == 0 ? -1 : 1 + error;
  return find_pattern(data, result, judge(data, result), &shape);
}

TEST_CASE("last-left-out: nobody comes to the last elements") {
  constexpr int count = 96;
  const auto of_last = [](int left) {
    Dataset data(Case{"c", {}, "", 5, {}});
    const View counts = add_counts(data, count, true);
    for (int i = 0; i < count; ++i) counts(i) = data.array("counts").at(i).integer + 1 + i;
    Array result = right_result(data, "counts");
    for (int i = count - left; i < count; ++i) result.data<std::int32_t>()[i] -= 1 + i;
    const LaunchShape blocks = shape_of({16, 16});
    return find_pattern(data, result, judge(data, result), &blocks);
  };
  CHECK(of_last(36).name == "last-left-out");
  CHECK(contains(of_last(36).words, "the last 36 of 96"));
  CHECK(contains(of_last(1).words, "it is the last one: the grid or a loop ends before it"));
  CHECK(of_last(48).name == "unchanged");  // as many as are right
  CHECK(contains(of_last(48).words, "has changed it, and they fill whole blocks: 3–5"));
  CHECK(of_last(60).name == "unchanged");
}

TEST_CASE("patterns of one dimension") {
  const LaunchShape blocks = shape_of({32, 32});
  CHECK(pattern_1d({96, 98, 99}, 100, blocks, 0).name == "last-block");
  CHECK(pattern_1d({70, 71, 72, 73, 74, 75, 76, 77, 78, 79}, 80, shape_of({8, 8}), 0).name == "from-index");
  const Pattern nth = pattern_1d({3, 13, 23, 33}, 40, blocks, 0);
  CHECK(nth.name == "every-nth");
  CHECK(contains(nth.words, "every 10th element, from index 3 on"));
  CHECK(contains(pattern_1d({2, 5, 8, 11}, 12, blocks, 0).words, "every 3rd element, from index 2 on"));
  std::vector<int> odd;  // one of these is right by chance
  for (int i = 1; i < 100; i += 2)
    if (i != 41) odd.push_back(i);
  CHECK(contains(pattern_1d(odd, 100, shape_of({7, 7}), 0).words, "every 2nd element, from index 1 on"));
  CHECK(contains(pattern_1d({0, 32, 64, 96}, 128, blocks, 0).words, "first element of each block"));
  std::vector<int> block;
  for (int i = 32; i < 64; ++i) block.push_back(i);
  const Pattern whole = pattern_1d(block, 128, blocks, 0);
  CHECK(whole.name == "blocks");
  CHECK(contains(whole.words, "whole blocks: 1, counted from 0"));
  CHECK(pattern_1d({1, 5, 6, 20}, 128, blocks, 0).name == "scattered");
}

TEST_CASE("integers that are all too small or too large") {
  const LaunchShape blocks = shape_of({32, 32});
  CHECK(pattern_1d({1, 5, 6, 20}, 128, blocks, -3).name == "too-small");
  CHECK(pattern_1d({1, 5, 6, 20}, 128, blocks, 3).name == "too-large");
  // Only what had values before the launch is updated.
  CHECK(pattern_1d({1, 5, 6, 20}, 128, blocks, 3).of_many() == "each is too large");
  CHECK(contains(pattern_1d({1, 5, 6, 20}, 128, blocks, -3, true).words, "updates were lost"));
}
