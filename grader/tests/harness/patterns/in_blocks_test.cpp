#include "patterns/in_blocks.hpp"

#include <doctest/doctest.h>

#include <bit>

#include "tests/harness/sample_data.hpp"

using namespace warpgrade::harness;

namespace {

const LaunchShape tiles_of_16 = shape_of({16, 16, 16, 16});
const float unwritten = std::bit_cast<float>(0x7fc5eed5u);

// The pattern where `value(row, column, right)` stands in place of each right value.
template <class Value>
Pattern found(int m, int n, const Coverage& launch, Value value) {
  const Dataset data = sample_data(m, n, 40);
  Array result = right_result(data);
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column)
      element(result, row, column) = value(row, column, element(result, row, column));
  return find_pattern(data, result, judge(data, result), launch);
}

}  // namespace

TEST_CASE("one-of-each-block: one thread alone stores") {
  const auto by_one = [](float others) {
    return [others](int row, int column, float right) {
      return row % 16 == 0 && column % 16 == 0 ? right : others;
    };
  };
  const Pattern pattern = found(40, 40, &tiles_of_16, by_one(unwritten));
  CHECK(pattern.name == "one-of-each-block");
  CHECK(pattern.words ==
        "none of them was ever written; of each block only one element is right, the one at [0][0] in it, as "
        "if "
        "one thread alone came to the store: is that in a condition on threadIdx?");
  CHECK(found(40, 40, &tiles_of_16, by_one(0)).name == "one-of-each-block");
  CHECK(found(16, 16, &tiles_of_16, by_one(0)).name == "zeros");
  CHECK(found(40, 40, &tiles_of_16,
              [&](int row, int column, float right) { return row == 0 && column == 0 ? right : unwritten; })
            .words ==
        "none of them was ever written; only C[0][0] is right, as if one thread alone came to the store");
}

TEST_CASE("one-of-each-group: one lane of each warp stores") {
  const auto by_lane = [](int, int column, float right) { return column % 32 == 3 ? right : unwritten; };
  const Pattern pattern = found(5, 100, {}, by_lane);
  CHECK(pattern.name == "one-of-each-group");
  CHECK(pattern.words ==
        "none of them was ever written; of every 32 neighbours in a row only one is right, as if one of so "
        "many "
        "threads alone came to the store");
  CHECK(found(5, 100, {}, [](int row, int column, float right) {
          return column % 32 == row ? right : unwritten;
        }).name == "never-written");
}

TEST_CASE("diagonal-of-each-block: one index gives row and column") {
  const LaunchShape several = shape_of({4, 4, 16, 16});
  const auto of_thread = [](int row, int column, float right) {
    return row % 4 == column % 4 ? right : 0.0f;
  };
  CHECK(found(40, 40, &several, of_thread).name == "diagonal-of-each-block");
  CHECK(found(15, 16, &several, of_thread).name == "diagonal-of-each-block");
  const auto of_block = [](int row, int column, float right) {
    return row % 16 / 4 == column % 16 / 4 ? right : unwritten;
  };
  CHECK(found(40, 40, &several, of_block).words ==
        "none of them was ever written; in each block only elements along a diagonal are right, as if one "
        "index "
        "gave both the row and the column of an element");
  const auto chessboard = [](int row, int column, float right) { return (row + column) % 2 ? right : 0.0f; };
  CHECK(found(40, 40, &several, chessboard).name == "zeros");
}

TEST_CASE("diagonal-tiles: one number of a block gives row and column") {
  const Pattern pattern = found(48, 40, &tiles_of_16, [](int row, int column, float right) {
    return row / 16 == column / 16 ? right : unwritten;
  });
  CHECK(pattern.name == "diagonal-tiles");
  CHECK(pattern.words ==
        "none of them was ever written, they fill all tiles but those on the diagonal, as if blockIdx.x or "
        "blockIdx.y alone gave both the row and the column of a block");
}

TEST_CASE("same-in-each-block: threadIdx is missing") {
  const auto of = [](auto value) { return [=](int row, int column, float) { return value(row, column); }; };
  CHECK(
      found(40, 40, &tiles_of_16, of([](int row, int column) { return 7.5f + row / 16 * 100 + column / 16; }))
          .words.starts_with("all elements of a block hold one value"));
  CHECK(found(40, 40, &tiles_of_16, of([](int row, int column) { return 7.5f + row * 100 + column / 16; }))
            .words.starts_with("all elements of a block's row hold one value"));
  CHECK(found(40, 40, &tiles_of_16, of([](int row, int column) { return 7.5f + row / 16 * 100 + column; }))
            .words.starts_with("all elements of a block's column hold one value"));
  CHECK(found(40, 40, &tiles_of_16, of([](int row, int column) { return 7.5f + row * 100 + column; })).name ==
        "all");
}

TEST_CASE("same-in-each-group: the elements of a thread share a sum") {
  static const LaunchShape four_each = shape_of({4, 16, 16, 16});
  const auto of = [](auto value) { return [=](int row, int column, float) { return value(row, column); }; };
  const auto by_four = of([](int row, int column) { return 7.5f + row * 100 + column / 4; });
  const Pattern pattern = found(40, 40, &four_each, by_four);
  CHECK(pattern.name == "same-in-each-group");
  CHECK(pattern.words.starts_with("each 4 neighbours in a row hold one value"));
  CHECK(found(40, 40, &tiles_of_16, by_four).name != "same-in-each-group");
  const auto by_two = of([](int row, int column) { return 7.5f + row * 100 + column / 2; });
  CHECK(found(40, 40, &four_each, by_two).name != "same-in-each-group");
}

TEST_CASE("edges-of-blocks: elements of the block beside are missing") {
  const auto near_edges = [](int row, int column, float right) {
    const auto is_near = [](int at) { return (at >= 16 && at % 16 < 2) || (at % 16 > 13 && at < 32); };
    return is_near(row) || is_near(column) ? 0.5f + 3 * right : right;
  };
  const Pattern pattern = found(48, 48, &tiles_of_16, near_edges);
  CHECK(pattern.name == "edges-of-blocks");
  CHECK(pattern.words.starts_with("they lie within 2 elements of the edges where two blocks meet"));
  CHECK(found(48, 48, &tiles_of_16, [](int row, int column, float right) {
          return (row * 7 + column * 5) % 11 == 0 ? 0.5f + 3 * right : right;
        }).name == "scattered");
}
