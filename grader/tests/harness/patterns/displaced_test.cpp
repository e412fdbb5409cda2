#include "patterns/displaced.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <string>

#include "tests/harness/sample_data.hpp"

using namespace warpgrade::harness;

namespace {

const LaunchShape tiles_of_16 = shape_of({16, 16, 16, 16});

// The name of the pattern where each element (row, column) holds the right value of `of(row, column)`.
template <class Of>
std::string moved(Of of) {
  const Dataset data = sample_data(32, 32, 40);
  Array result = right_result(data);
  for (int row = 0; row < 32; ++row)
    for (int column = 0; column < 32; ++column) {
      const auto [from_row, from_column] = of(row, column);
      element(result, row, column) = static_cast<float>(expected_at(data, from_row, from_column));
    }
  return find_pattern(data, result, judge(data, result), &tiles_of_16).name;
}

}  // namespace

TEST_CASE("values that stand at other places of their block") {
  using Place = std::pair<int, int>;
  const auto in_block = [](int i, int to) { return i / 16 * 16 + to % 16; };
  CHECK(moved([&](int row, int column) {
          return Place{row, in_block(column, column % 4 * 4 + column % 16 / 4)};
        }) == "displaced");
  CHECK(moved([&](int row, int column) { return Place{row / 4 * 4, column}; }) == "repeated");
  CHECK(moved([&](int row, int column) {
          return Place{in_block(row, column), in_block(column, row)};
        }) == "exchanged-in-block");
  // Places where the block's last column would have taken another block's value hold their own.
  CHECK(moved([&](int row, int column) {
          return Place{row, column % 16 == 15 ? column : column + 1};
        }) == "shifted");
}

TEST_CASE("other numbers are not displaced") {
  const Dataset data = sample_data(32, 32, 40);
  Array result = right_result(data);
  for (int row = 0; row < 32; ++row)
    for (int column = 0; column < 32; ++column)
      element(result, row, column) += 0.25f + static_cast<float>(row);
  CHECK(find_pattern(data, result, judge(data, result), &tiles_of_16).name == "all");
}

TEST_CASE("values that lie close together match by chance, and nothing is said") {
  Dataset data(Case{"c", {}, "", 5, {}});
  const View counts = data.output<std::int32_t>("counts", {64});
  for (int i = 0; i < 64; ++i) counts(i) = i / 4;
  Array result = right_result(data, "counts");
  for (int i = 0; i < 63; ++i) result.data<std::int32_t>()[i] = (i + 4) / 4;
  const LaunchShape blocks = shape_of({32, 32});
  CHECK(find_pattern(data, result, judge(data, result), &blocks).name != "shifted");
}

TEST_CASE("each turn of a loop stores in the same place: the others are never written") {
  const Dataset data = sample_data(32, 32, 40);
  Array result = right_result(data);
  for (int row = 0; row < 32; ++row)
    for (int column = 0; column < 32; ++column)
      element(result, row, column) = row % 16 < 4 ? static_cast<float>(expected_at(data, row + 12, column))
                                                  : std::bit_cast<float>(0x7fc5eed5u);
  const Pattern found = find_pattern(data, result, judge(data, result), &tiles_of_16);
  CHECK(found.name == "turns-overwritten");
  CHECK(
      found.words ==
      "those that were written hold values of others that never were, as C[0][0] that of C[12][0]: each turn "
      "of a loop stores in the same place, as if the index lacked the loop's variable");
}

TEST_CASE("every element counts: many hold values that are as far away, and others do not") {
  CHECK(moved([&](int row, int column) {
          return std::pair{row % 16 < 4 ? row : row / 16 * 16 + row % 4, column};
        }) == "repeated");
}

TEST_CASE("a list that is shifted over its begin or its end, whatever stands there") {
  Dataset data(Case{"c", {}, "", 5, {}});
  const View kept = data.output<float>("kept", {64});
  for (int i = 0; i < 64; ++i) kept(i) = 1000.0 * (i * 37 % 64);
  const LaunchShape blocks = shape_of({16, 16});
  for (const int step : {1, -1}) {
    Array result = right_result(data, "kept");
    for (int i = 0; i < 64; ++i)
      result.data<float>()[i] =
          0 <= i - step && i - step < 64
              ? static_cast<float>(data.expected("kept").at(static_cast<std::size_t>(i - step)).value())
              : 0.5f;
    const Pattern found = find_pattern(data, result, judge(data, result), &blocks);
    CHECK(found.name == "shifted");
    CHECK(found.words.ends_with(step > 0 ? "one too large" : "one too small"));
    result.data<float>()[30] += 1;
    CHECK(find_pattern(data, result, judge(data, result), &blocks).name != "shifted");
  }
}

TEST_CASE("all parts of a block hold what belongs to its first one") {
  const auto of_part = [](int rows, int columns) {
    return moved([=](int row, int column) {
      return std::pair{row / 16 * 16 + row % 16 % rows, column / 16 * 16 + column % 16 % columns};
    });
  };
  CHECK(of_part(8, 8) == "first-part-again");
  CHECK(of_part(16, 8) == "first-part-again");
  CHECK(of_part(8, 16) == "first-part-again");
  CHECK(of_part(4, 16) == "repeated");
}
