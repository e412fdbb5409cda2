#include "patterns/unreached.hpp"

#include <doctest/doctest.h>

#include <string>

#include "tests/harness/wrong_results.hpp"

using namespace warpgrade::harness;

TEST_CASE("step-for-block: blocks begin too far from one another") {
  const Dataset data = sample_data(4, 100, 5);
  const auto at = [](int, int) { return unwritten; };
  const auto between = [](int, int column) { return column % 40 >= 16; };
  const Pattern found = pattern_of(data, spoilt(data, between, at), shape_of({16, 4, 16, 4}));
  CHECK(found.name == "step-for-block");
  CHECK(contains(found.words, "blockIdx.x * 40, where the launch gives it 16"));
  const auto one_more = [](int, int column) { return column % 40 >= 15; };
  CHECK(pattern_of(data, spoilt(data, one_more, at), shape_of({16, 4, 16, 4})).name == "never-written");
}

TEST_CASE("elements that no block comes to, as blocks begin at multiples of the grid's size") {
  const Dataset data = sample_data(31, 40, 5);
  const auto at = [](int, int) { return unwritten; };
  // 3 blocks across and 2 down: a block begins at column 0, 3 or 6 and at row 0 or 2.
  const auto right_of_all = [](int, int column) { return column >= 6 + 16; };
  const Pattern across = pattern_of(data, spoilt(data, right_of_all, at));
  CHECK(across.name == "grid-for-block");
  CHECK(across.words.find("blockIdx.x * gridDim.x:") != std::string::npos);
  const auto both = [](int row, int column) { return column >= 6 + 16 || row >= 2 + 16; };
  CHECK(pattern_of(data, spoilt(data, both, at)).words.find("and blockIdx.y * gridDim.y") !=
        std::string::npos);
  const auto one_more = [](int, int column) { return column >= 6 + 15; };
  CHECK(pattern_of(data, spoilt(data, one_more, at)).name == "never-written");
}

TEST_CASE("no block but the first comes there: its number may be left out") {
  const Dataset data = sample_data(4, 64, 5);
  const auto right = [](int, int column) { return column > 0; };
  const auto at = [](int, int) { return unwritten; };
  // Blocks of one column: another one that begins at blockIdx.x * gridDim.x has no columns.
  const Pattern first = pattern_of(data, spoilt(data, right, at), shape_of({1, 4, 1, 4}));
  CHECK(first.name == "grid-for-block");
  // There is one block down, where nothing can be mistaken.
  CHECK(first.words.ends_with("as if blockIdx.x were left out, or multiplied by gridDim for blockDim"));
}

TEST_CASE("more blocks than a block has threads leave gaps between them") {
  const Dataset data = sample_data(2, 100, 5);
  // 25 blocks of 4 columns: they begin 25 columns apart, and the others outside.
  const auto in_gap = [](int, int column) { return column % 25 >= 4; };
  const auto at = [](int, int) { return unwritten; };
  CHECK(pattern_of(data, spoilt(data, in_gap, at), shape_of({4, 2, 4, 2})).name == "grid-for-block");
  // Where a thread computes several elements, a block's begin says less.
  CHECK(pattern_of(data, spoilt(data, in_gap, at), shape_of({2, 2, 4, 2})).name == "never-written");
}

TEST_CASE("elements that no thread comes to, as its index and the block's are exchanged") {
  const Dataset data = sample_data(2, 100, 5);
  const LaunchShape tiles = shape_of({16, 2, 16, 2});
  // 7 blocks of 16 threads: 16 t + b with b < 7.
  const auto missed = [](int, int column) { return column % 16 >= 7; };
  const auto at = [](int, int) { return unwritten; };
  const Pattern across = pattern_of(data, spoilt(data, missed, at), tiles);
  CHECK(across.name == "thread-for-block");
  CHECK(across.words ==
        "none of them was ever written; of the 16 columns of each block only these are: 0–6, counted from 0, "
        "as if a thread's index were threadIdx.x * blockDim.x + blockIdx.x");
  const auto one_more = [](int, int column) { return column % 16 >= 6; };
  CHECK(pattern_of(data, spoilt(data, one_more, at), tiles).name == "never-written");
  CHECK(pattern_of(data, spoilt(data, missed, at), shape_of({8, 2, 16, 2})).name == "never-written");
}

TEST_CASE("elements that no block comes to, as its two indices are exchanged") {
  const Dataset data = sample_data(20, 64, 5);
  const auto at = [](int, int) { return unwritten; };
  // 4 blocks across and 2 down become 2 across and 4 down.
  const auto not_reached = [](int, int column) { return column >= 32; };
  const Pattern exchanged = pattern_of(data, spoilt(data, not_reached, at));
  CHECK(exchanged.name == "blocks-never-written");
  CHECK(exchanged.words.find("the grid has 4 × 2 blocks") != std::string::npos);
  const auto one_block_more = [](int, int column) { return column >= 48; };
  const Pattern other = pattern_of(data, spoilt(data, one_block_more, at));
  CHECK(other.name == "blocks-never-written");
  CHECK(other.words.find("the grid has") == std::string::npos);
}

TEST_CASE("step-for-block: rows that are counted by the other side of a block") {
  const Dataset data = sample_data(64, 64, 5);
  const auto at = [](int, int) { return unwritten; };
  const auto between = [](int row, int) { return row % 32 >= 4; };
  const Pattern found = pattern_of(data, spoilt(data, between, at), shape_of({32, 4, 32, 4}));
  CHECK(found.name == "step-for-block");
  CHECK(contains(found.words, "blockIdx.y * 32, which is blockDim.x: along y it has 4, blockDim.y"));
  // Of one block across, all rows but the first are left out as well where the block's numbers are exchanged.
  const Dataset narrow = sample_data(16, 16, 5);
  const Pattern both = pattern_of(narrow, spoilt(narrow, between, at), shape_of({32, 4, 32, 4}));
  CHECK(both.name == "step-for-block");
  CHECK(contains(both.words, "or as if a block began at blockIdx.y * 32"));
  const auto one_more = [](int row, int) { return row % 32 >= 3; };
  CHECK(pattern_of(data, spoilt(data, one_more, at), shape_of({32, 4, 32, 4})).name != "step-for-block");
}
