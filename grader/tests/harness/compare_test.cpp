#include "compare.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <limits>

#include "sample_data.hpp"

using namespace warpgrade::harness;

static constexpr LaunchShape tiles_of_16{16, 16, 16, 16};

TEST_CASE("a right result passes") {
  const Dataset data = sample_data(17, 20, 9, Values::zero_mean);
  CHECK(compare(data, right_result(data), tiles_of_16).status == Status::pass);
}

TEST_CASE("the first wrong element in row-major order is named with the block, thread and tile that own it") {
  const Dataset data = sample_data(40, 50, 9);
  Matrix<float> result = right_result(data);
  result.at(35, 2) = 1e6f;
  result.at(20, 49) = -1e6f;
  const Outcome outcome = compare(data, result, tiles_of_16);
  CHECK(outcome.status == Status::wrong_answer);
  REQUIRE(outcome.wrong.has_value());
  const Wrong& wrong = *outcome.wrong;
  CHECK(wrong.row == 20);
  CHECK(wrong.column == 49);
  CHECK(wrong.expected == data.C.at(20, 49));
  CHECK(wrong.got == -1e6f);
  CHECK(wrong.count == 2);
  CHECK(wrong.total == 2000);
  CHECK(wrong.block == std::array<int, 2>{3, 1});
  REQUIRE(wrong.thread.has_value());
  CHECK(*wrong.thread == std::array<int, 2>{1, 4});
  CHECK(wrong.tile == std::array<int, 4>{16, 31, 48, 49});
}

TEST_CASE("no single thread is named where a thread owns several outputs") {
  const Dataset data = sample_data(40, 50, 9);
  Matrix<float> result = right_result(data);
  result.at(20, 49) = 1e6f;
  const Outcome outcome = compare(data, result, {16, 16, 64, 64});
  REQUIRE(outcome.wrong.has_value());
  CHECK_FALSE(outcome.wrong->thread.has_value());
  CHECK(outcome.wrong->block == std::array<int, 2>{0, 0});
}

TEST_CASE("the explanation is one sentence with the two numbers") {
  const Dataset data = sample_data(4, 4, 2);
  Matrix<float> result = right_result(data);
  result.at(1, 2) += 1;
  const Outcome outcome = compare(data, result, tiles_of_16);
  const auto whole = [](double x) { return std::to_string(static_cast<long>(x)); };
  CHECK(outcome.message == "C[1][2] should be " + whole(data.C.at(1, 2)) + " but is " +
                               whole(data.C.at(1, 2) + 1) + "; it is the only wrong one of 16.");
}

TEST_CASE("the map shows at most 32x32 parts, each with its worst element") {
  const Dataset data = sample_data(64, 20, 2);
  Matrix<float> result = right_result(data);
  result.at(3, 1) = 1e6f;
  result.at(62, 19) = std::bit_cast<float>(0x7fc5eed5u);
  const Outcome outcome = compare(data, result, tiles_of_16);
  REQUIRE(outcome.wrong.has_value());
  const std::vector<std::string>& map = outcome.wrong->map;
  REQUIRE(map.size() == 32);
  CHECK(map[0] == std::string(20, '.'));
  CHECK(map[1] == ".#..................");
  CHECK(map[31] == "...................?");
}
