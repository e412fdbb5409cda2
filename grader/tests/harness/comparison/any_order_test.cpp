#include "comparison/any_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "device/device_array.hpp"
#include "tests/harness/sample_data.hpp"

using namespace warpgrade::harness;

namespace {

using Rows = std::vector<std::vector<std::int32_t>>;

// Ten rows of three words, of which the first ones are those given.
Dataset expecting(const Rows& rows) {
  Dataset data(Case{"c", {}, "", 5, {}});
  data.inout<std::int32_t>("kept", {10, 3});
  const View kept = data.expected_of("kept");
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t word = 0; word < 3; ++word)
      kept(static_cast<int>(row), static_cast<int>(word)) = rows[row][word];
  return data;
}

Array result_of_rows(const Dataset& data, const Rows& rows) {
  Array result = right_result(data, "kept");
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t word = 0; word < 3; ++word)
      result.data<std::int32_t>()[3 * row + word] = rows[row][word];
  return result;
}

const Rows three = {{1, 10, 100}, {2, 20, 200}, {2, 20, 200}, {3, 30, 300}};

}  // namespace

TEST_CASE("rows in another order are right, each as often as it is expected") {
  const Dataset data = expecting(three);
  const Array turned = result_of_rows(data, {three[3], three[1], three[0], three[2]});
  CHECK(compare_in_any_order(data, turned, 4).status == Status::pass);
  CHECK(compare(data, turned, nullptr).status != Status::pass);
  const Array twice = result_of_rows(data, {three[0], three[0], three[1], three[3]});
  CHECK(compare_in_any_order(data, twice, 4).status != Status::pass);
}

TEST_CASE("of a struct that is wrong in one part, that part is blamed") {
  const Dataset data = expecting(three);
  const Array wrong = result_of_rows(data, {three[1], {3, 30, 0}, three[2], three[0]});
  const Outcome outcome = compare_in_any_order(data, wrong, 4);
  REQUIRE(outcome.wrong);
  CHECK(outcome.wrong->count == 1);
  CHECK(outcome.wrong->index == Shape{1, 2});
  CHECK(outcome.wrong->expected.integer == 300);
}

TEST_CASE("what lies behind the rows has a place of its own") {
  const Dataset data = expecting(three);
  Array beyond = result_of_rows(data, three);
  beyond.data<std::int32_t>()[3 * 4] += 1;
  CHECK(compare_in_any_order(data, beyond, 4).wrong->index == Shape{4, 0});
  CHECK(compare_in_any_order(data, beyond, 1000).status != Status::pass);
  CHECK(compare_in_any_order(data, beyond, -1).status != Status::pass);
}

TEST_CASE("rows in another order with their members exchanged are called so") {
  const Dataset data = expecting(three);
  const Array turned = result_of_rows(data, {{300, 30, 3}, {200, 20, 2}, {100, 10, 1}, {200, 20, 2}});
  const Outcome outcome = compare_in_any_order(data, turned, 4);
  REQUIRE(outcome.wrong);
  CHECK(outcome.wrong->pattern == "members-exchanged");
}

TEST_CASE("floats that are right but for rounding find their own place") {
  Dataset data(Case{"c", {}, "", 5, {}});
  const View y = data.output<float>("y", {4});
  for (int i = 0; i < 4; ++i) y(i) = Number(1.0 + i) / Number(3.0);
  Array result = right_result(data, "y");
  std::reverse(result.data<float>(), result.data<float>() + 4);
  result.data<float>()[0] *= 1.0000001f;
  CHECK(compare_in_any_order(data, result, 4).status == Status::pass);
}

TEST_CASE("of an output, what lies behind the rows is not looked at") {
  Dataset data(Case{"c", {}, "", 5, {}});
  const View found = data.output<float>("found", {6});
  for (int i = 0; i < 3; ++i) found(i) = i + 1;
  Array result = right_result(data, "found");
  for (int i = 0; i < 6; ++i) result.data<float>()[i] = i < 3 ? static_cast<float>(3 - i) : std::nanf("");
  CHECK(compare_in_any_order(data, result, 3).status == Status::pass);
  const Outcome outcome = compare_in_any_order(data, result, 4);
  REQUIRE(outcome.wrong);
  CHECK(outcome.wrong->index == Shape{3});
  CHECK(outcome.wrong->count == 1);
}

TEST_CASE("of an output where nothing is found, nothing is looked at") {
  Dataset data(Case{"c", {}, "", 5, {}});
  data.output<std::int32_t>("found", {6});
  Array result = data.array("found");
  result.bytes = never_written_marks(data, "found");
  CHECK(compare_in_any_order(data, result, 0).status == Status::pass);
  CHECK(compare_in_any_order(data, result, 1).status != Status::pass);
}
