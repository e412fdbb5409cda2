#include "comparison/compare.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <limits>

#include "comparison/watch.hpp"
#include "tests/harness/sample_data.hpp"

using namespace warpgrade::harness;

static const LaunchShape tiles_of_16 = shape_of({16, 16, 16, 16});

TEST_CASE("a right result passes") {
  const Dataset data = sample_data(17, 20, 9, "zero-mean");
  CHECK(compare(data, right_result(data), &tiles_of_16).status == Status::pass);
}

TEST_CASE("the first wrong element in row-major order is named with the block, thread and tile that own it") {
  const Dataset data = sample_data(40, 50, 9);
  Array result = right_result(data);
  element(result, 35, 2) = 1e6f;
  element(result, 20, 49) = -1e6f;
  const Outcome outcome = compare(data, result, &tiles_of_16);
  CHECK(outcome.status == Status::wrong_answer);
  REQUIRE(outcome.wrong.has_value());
  const Wrong& wrong = *outcome.wrong;
  CHECK(wrong.array == "C");
  CHECK(wrong.shape == Shape{40, 50});
  CHECK(wrong.index == Shape{20, 49});
  CHECK(wrong.expected.value == expected_at(data, 20, 49));
  CHECK(wrong.got.value == -1e6f);
  CHECK(wrong.count == 2);
  CHECK(wrong.total == 2000);
  CHECK(wrong.block == std::vector<int>{3, 1});
  CHECK(wrong.thread == std::vector<int>{1, 4});
  CHECK(wrong.first == Shape{16, 48});
  CHECK(wrong.last == Shape{31, 49});
}

TEST_CASE("no single thread is named where a thread owns several outputs") {
  const LaunchShape tiles_of_64 = shape_of({16, 16, 64, 64});
  const Dataset data = sample_data(40, 50, 9);
  Array result = right_result(data);
  element(result, 20, 49) = 1e6f;
  const Outcome outcome = compare(data, result, &tiles_of_64);
  REQUIRE(outcome.wrong.has_value());
  CHECK(outcome.wrong->thread.empty());
  CHECK(outcome.wrong->block == std::vector<int>{0, 0});
}

TEST_CASE("the explanation is one sentence with the two numbers") {
  const Dataset data = sample_data(4, 4, 2);
  Array result = right_result(data);
  element(result, 1, 2) += 1;
  const Outcome outcome = compare(data, result, &tiles_of_16);
  const auto whole = [](double x) { return std::to_string(static_cast<long>(x)); };
  CHECK(outcome.message == "C[1][2] should be " + whole(expected_at(data, 1, 2)) + " but is " +
                               whole(expected_at(data, 1, 2) + 1) + "; it is the only wrong one of 16.");
}

TEST_CASE("the map shows at most 32x32 parts, each with its worst element") {
  const Dataset data = sample_data(64, 20, 2);
  Array result = right_result(data);
  element(result, 3, 1) = 1e6f;
  element(result, 62, 19) = std::bit_cast<float>(0x7fc5eed5u);
  const Outcome outcome = compare(data, result, &tiles_of_16);
  REQUIRE(outcome.wrong.has_value());
  const std::vector<std::string>& map = outcome.wrong->map;
  REQUIRE(map.size() == 32);
  CHECK(map[0] == std::string(20, '.'));
  CHECK(map[1] == ".#..................");
  CHECK(map[31] == "...................?");
}

TEST_CASE("an array of one dimension, of integers and of three dimensions") {
  Dataset data(Case{"c", {}, "", 5, {}});
  data.output<std::uint32_t>("counts", {100})(7) = 12;
  data.output<double>("volume", {2, 3, 40})(1, 2, 30) = 0.5;
  const LaunchShape one = shape_of({32, 32}), three = shape_of({8, 1, 1, 8, 1, 1});
  Array counts = right_result(data, "counts");
  CHECK(compare(data, counts, &one).status == Status::pass);
  counts.data<std::uint32_t>()[7] = 11;
  const Outcome few = compare(data, counts, &one);
  CHECK(few.message == "counts[7] should be 12 but is 11; it is the only wrong one of 100.");
  CHECK(few.wrong->block == std::vector<int>{0});
  CHECK(few.wrong->thread == std::vector<int>{7});
  CHECK(few.wrong->map.size() == 4);
  CHECK(few.wrong->map[0] == ".......#........................");
  CHECK(few.wrong->map[3] == "....");
  Array volume = right_result(data, "volume");
  volume.data<double>()[1 * 120 + 2 * 40 + 30] = 0.25;
  const Outcome wrong = compare(data, volume, &three);
  CHECK(wrong.message == "volume[1][2][30] should be 0.5 but is 0.25; it is the only wrong one of 240.");
  CHECK(wrong.wrong->block == std::vector<int>{3, 2, 1});
  CHECK(wrong.wrong->thread == std::vector<int>{6, 0, 0});
  CHECK(wrong.wrong->map.size() == 3);
  CHECK(wrong.wrong->map[2].find('#') != std::string::npos);
  CHECK(compare(data, volume, nullptr).wrong->block.empty());
}

TEST_CASE("an array of vectors: the block and the thread that compute the vector, and a map of vectors") {
  Dataset data(Case{"c", {}, "", 5, {}});
  data.output<std::uint8_t>("image", {6, 10, 4})(4, 9, 2) = 200;
  const LaunchShape tiles = shape_of({4, 4, 4, 4});
  Array image = right_result(data, "image");
  image.data<std::uint8_t>()[(4 * 10 + 9) * 4 + 2] = 7;
  const Wrong wrong = *compare(data, image, {&tiles, 4}).wrong;
  CHECK(wrong.index == Shape{4, 9, 2});
  CHECK(wrong.vector == 4);
  CHECK(wrong.block == std::vector<int>{2, 1});
  CHECK(wrong.thread == std::vector<int>{1, 0});
  CHECK(wrong.first == Shape{4, 8, 0});
  CHECK(wrong.last == Shape{5, 9, 3});
  REQUIRE(wrong.map.size() == 6);
  CHECK(wrong.map[4] == ".........#");
}

TEST_CASE("a single wrong element is explained") {
  Dataset data(Case{"c", {}, "", 5, {}});
  data.inout<std::int32_t>("counts", {9});
  const View wanted = data.expected_of("counts");
  for (std::int64_t i = 0; i < 9; ++i) wanted(i) = 100 + i;
  Array result = right_result(data, "counts");
  const std::int32_t before = data.array("counts").data<std::int32_t>()[4];
  result.data<std::int32_t>()[4] = before;
  const Outcome outcome = compare(data, result, nullptr);
  CHECK(outcome.message == "counts[4] should be 104 but is " + std::to_string(before) +
                               "; it is the only wrong one of 9, and is what it was before the launch: "
                               "no update has changed it.");
}

TEST_CASE("a watch gets what is compared, and decides how far a lab goes") {
  const Dataset data = sample_data(4, 4, 2);
  const Array result = right_result(data);
  int seen = 0;
  const Watch watch = [&](const Dataset& wanted, const Array& compared) {
    CHECK(&wanted == &data);
    CHECK(&compared == &result);
    return ++seen == 2;
  };
  {
    const Watching watching(watch);
    CHECK(compare(data, result, &tiles_of_16).status == Status::pass);
    CHECK(compare(data, result, &tiles_of_16).status == Status::wrong_answer);
  }
  CHECK(compare(data, result, &tiles_of_16).status == Status::pass);
  CHECK(seen == 2);
}
