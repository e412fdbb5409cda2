#include "comparison/pattern.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "comparison/pattern_places.hpp"
#include "tests/harness/sample_data.hpp"
#include "tests/harness/temporary_folder.hpp"

using namespace warpgrade::harness;

static const LaunchShape tiles_of_16 = shape_of({16, 16, 16, 16});
static const float unwritten = std::bit_cast<float>(0x7fc5eed5u);

static Pattern pattern_of(const Dataset& data, const Array& result, const LaunchShape& shape = tiles_of_16) {
  return find_pattern(data, result, judge(data, result), &shape, missing_phases);
}

// A right result, in which the elements that `choose` selects are replaced by `value(row, column)`.
template <class Choose, class Value>
static Array spoilt(const Dataset& data, Choose choose, Value value) {
  Array result = right_result(data);
  for (int row = 0; row < data.as_int("m"); ++row)
    for (int column = 0; column < data.as_int("n"); ++column)
      if (choose(row, column)) element(result, row, column) = value(row, column);
  return result;
}

static bool everywhere(int, int) { return true; }
static float nonsense(int, int) { return 1e6f; }

TEST_CASE("all: no element is right") {
  const Dataset data = sample_data(20, 20, 5);
  CHECK(pattern_of(data, spoilt(data, everywhere, nonsense)).name == "all");
}

TEST_CASE("all: some may never have been written") {
  const Dataset data = sample_data(20, 20, 5);
  const auto value = [](int row, int) { return row < 5 ? 1e6f : unwritten; };
  CHECK(pattern_of(data, spoilt(data, everywhere, value)).words ==
        "not one is right, and 300 of them were never written");
}

TEST_CASE("negative-ones and infinite: what a search begins with") {
  const Dataset data = sample_data(20, 20, 5);
  const auto is_negative = [&](int row, int column) { return expected_at(data, row, column) < 0; };
  CHECK(pattern_of(data, spoilt(data, is_negative, [](int, int) { return 0.0f; })).name == "negative-ones");
  const auto least = [](int, int) { return -std::numeric_limits<float>::infinity(); };
  CHECK(pattern_of(data, spoilt(data, everywhere, least)).name == "infinite");
}

TEST_CASE("beside-diagonal: rows and columns are exchanged in an input") {
  const Dataset data = sample_data(20, 20, 5);
  const auto beside = [](int row, int column) { return row != column; };
  const auto value = [](int row, int column) { return 1e6f + static_cast<float>(100 * row + column); };
  CHECK(pattern_of(data, spoilt(data, beside, value)).name == "beside-diagonal");
}

TEST_CASE("same-difference: each sum begins at 1") {
  const Dataset data = sample_data(20, 20, 5);
  const auto more = [&](int row, int column) {
    return static_cast<float>(expected_at(data, row, column) + 1);
  };
  CHECK(pattern_of(data, spoilt(data, everywhere, more)).words ==
        "is too large by 1, the same for all, as if no sum began at 0");
  const auto of_row = [&](int row, int column) { return more(row, column) + static_cast<float>(row); };
  CHECK(pattern_of(data, spoilt(data, everywhere, of_row)).name == "all");
}

TEST_CASE("multiplied: each element is a few times what it should be") {
  const Dataset data = sample_data(20, 20, 5);
  const auto times = [&](float factor) {
    return [&, factor](int row, int column) {
      return factor * static_cast<float>(expected_at(data, row, column));
    };
  };
  CHECK(pattern_of(data, spoilt(data, everywhere, times(2))).name == "multiplied");
  CHECK(contains(pattern_of(data, spoilt(data, everywhere, times(3))).words, "is 3 times what it should be"));
  CHECK(pattern_of(data, spoilt(data, everywhere, times(5))).name == "all");
  const auto one = [](int row, int column) { return row == 2 && column == 2; };
  CHECK(pattern_of(data, spoilt(data, one, times(2))).name == "scattered");  // by chance
}

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

TEST_CASE("never-written: the same columns of each block") {
  const Dataset data = sample_data(32, 32, 5);
  const auto others = [](int, int column) { return column % 16 > 2; };
  CHECK(pattern_of(data, spoilt(data, others, [](int, int) { return unwritten; })).words ==
        "none of them was ever written; of the 16 columns of each block only these are: 0–2, counted from 0");
  // A block that is larger than the array: what does not exist is not looked at, which would take seconds.
  CHECK(pattern_of(data, spoilt(data, others, [](int, int) { return unwritten; }),
                   shape_of({16, 16, 2147483647, 2147483647}))
            .words ==
        "none of them was ever written; of the 32 columns of each block only these are: 0–2, "
        "16–18, counted from 0");
}

TEST_CASE("zeros") {
  const Dataset data = sample_data(20, 20, 5);
  CHECK(pattern_of(data, spoilt(data, everywhere, [](int, int) { return 0.0f; })).name == "zeros");
}

TEST_CASE("values that are no numbers, or have lost their fractions") {
  const Dataset data = sample_data(20, 20, 5, "zero-mean");
  const auto nan = [](int, int) { return std::nanf(""); };
  const auto few = [](int row, int column) { return row == 3 && column > 7; };
  CHECK(pattern_of(data, spoilt(data, few, nan)).name == "not-a-number");
  CHECK(pattern_of(data, spoilt(data, few, [](int, int) { return unwritten; })).name == "never-written");
  const auto whole = [](int row, int column) { return static_cast<float>(1 + row + column); };
  CHECK(pattern_of(data, spoilt(data, everywhere, whole)).name == "whole-numbers");
  const auto bits = [](int row, int column) { return std::bit_cast<float>(1 + row + column); };
  CHECK(pattern_of(data, spoilt(data, few, bits)).name == "bits-of-an-integer");
  const auto negative = [&](int row, int column) {
    return -static_cast<float>(expected_at(data, row, column));
  };
  CHECK(pattern_of(data, spoilt(data, few, negative)).name == "negated");
  // Too large to have a fraction, whatever type it had on the way.
  CHECK(pattern_of(data, spoilt(data, everywhere, [](int, int) { return 0x1p30f; })).name == "all");
}

TEST_CASE("the last, partial tile column or row") {
  const Dataset data = sample_data(20, 37, 5);
  const auto in_column = [](int, int column) { return column >= 32; };
  const auto in_row = [](int row, int) { return row >= 16; };
  const auto in_either = [](int row, int column) { return row >= 16 || column >= 32; };
  CHECK(pattern_of(data, spoilt(data, in_column, nonsense)).name == "last-tile-column");
  CHECK(pattern_of(data, spoilt(data, in_row, nonsense)).name == "last-tile-row");
  CHECK(pattern_of(data, spoilt(data, in_either, nonsense)).name == "last-tile-row-or-column");
}

TEST_CASE("a full last tile column is nothing special, and neither is the only one") {
  const Dataset full = sample_data(20, 32, 5);
  CHECK(pattern_of(full, spoilt(
                             full, [](int row, int column) { return row < 3 && column >= 16; }, nonsense))
            .name == "scattered");
  const Dataset single = sample_data(40, 9, 5);
  CHECK(pattern_of(single, spoilt(
                               single, [](int row, int) { return row == 3; }, nonsense))
            .name == "scattered");
}

TEST_CASE("whole rows, columns or tiles that are wrong, with one right by chance") {
  const Dataset data = sample_data(70, 50, 5);  // 5 × 4 tiles, the last ones partial
  const auto in_rows = [](int row, int) { return row / 16 == 1 || row / 16 == 2 || row / 16 == 4; };
  const Pattern rows = pattern_of(data, spoilt(data, in_rows, nonsense));
  CHECK(rows.name == "tile-rows");
  CHECK(contains(rows.words, "1–2, 4"));
  const auto in_columns = [](int row, int column) { return column / 16 == 2 && !(row == 3 && column == 40); };
  const Pattern columns = pattern_of(data, spoilt(data, in_columns, nonsense));
  CHECK(columns.name == "tile-columns");
  CHECK(contains(columns.words, ": 2,"));
  const auto here_and_there = [](int row, int column) { return (row / 16 + column / 16) % 2 == 1; };
  const Pattern tiles = pattern_of(data, spoilt(data, here_and_there, nonsense));
  CHECK(tiles.name == "tiles");
  CHECK(contains(tiles.words, "10 of 20 tiles"));
}

TEST_CASE("rows that end within a tile, or tiles of one element, are scattered") {
  const Dataset data = sample_data(70, 50, 5);
  const auto half = [](int row, int) { return row / 8 % 2 == 1; };
  CHECK(pattern_of(data, spoilt(data, half, nonsense)).name == "scattered");
  const auto whole = [](int row, int) { return row / 16 == 1; };
  CHECK(pattern_of(data, spoilt(data, whole, nonsense), shape_of({256, 1, 1, 1})).name == "scattered");
}

TEST_CASE("never written, with the place where that is all") {
  const Dataset data = sample_data(20, 37, 5);
  const auto nothing = [](int, int) { return unwritten; };
  const Pattern all = pattern_of(data, spoilt(data, everywhere, nothing));
  CHECK(all.name == "never-written");
  CHECK_FALSE(contains(all.words, "tile"));
  const Pattern border = pattern_of(data, spoilt(
                                              data, [](int row, int) { return row >= 16; }, nothing));
  CHECK(border.name == "never-written");
  CHECK(contains(border.words, "partial tile row"));
}

TEST_CASE("never written, where a lab knows why") {
  const Dataset data = sample_data(20, 37, 5);
  const Array result = spoilt(
      data, [](int row, int) { return row >= 16; }, [](int, int) { return unwritten; });
  const auto known = [](const WrongResult&) { return std::optional<Pattern>({"a-cause", "words"}); };
  const auto unknown = [](const WrongResult&) { return std::optional<Pattern>(); };
  const auto named = [&](const FindPattern& own) {
    return find_pattern(data, result, judge(data, result), &tiles_of_16, own).name;
  };
  CHECK(named(known) == "a-cause");
  CHECK(named(unknown) == "never-written");
}

TEST_CASE("from a phase on everything is missing, in integers and in rounded sums") {
  for (const char* values : {"integers", "zero-mean"}) {
    const Dataset data = sample_data(33, 18, 40, values);
    const auto first_32 = [&](int row, int column) {
      return static_cast<float>(partial_sum(data, row, column, 32));
    };
    const Pattern square = pattern_of(data, spoilt(data, everywhere, first_32));
    CHECK(square.name == "from-phase");
    REQUIRE(square.phase.has_value());
    CHECK(*square.phase == 2);
    CHECK(contains(square.words, "first 32 of its 40 products"));

    const Pattern large = pattern_of(data, spoilt(data, everywhere, first_32), shape_of({16, 16, 64, 64}));
    CHECK(large.name == "from-phase");
    CHECK_FALSE(large.phase.has_value());
  }
}

TEST_CASE("a small number of matches by chance is no phase") {
  const Dataset data = sample_data(20, 20, 30);
  const auto choose = [](int row, int column) { return row == 4 && column < 3; };
  const auto partial = [&](int row, int column) {
    return static_cast<float>(partial_sum(data, row, column, 16));
  };
  CHECK(pattern_of(data, spoilt(data, choose, partial)).name == "scattered");
}

TEST_CASE("transposed, of a square and of an oblong result") {
  for (const int n : {12, 31}) {
    const Dataset data = sample_data(12, n, 5);
    Array result = right_result(data);
    for (int row = 0; row < 12; ++row)
      for (int column = 0; column < n; ++column)
        result.data<float>()[column * 12 + row] = static_cast<float>(expected_at(data, row, column));
    CHECK(pattern_of(data, result).name == "transposed");
  }
}

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

TEST_CASE("one-value: the integer with which an array was filled") {
  Dataset data(Case{"c", {}, "", 5, {}});
  const View counts = data.output<std::int32_t>("counts", {96});
  for (int i = 0; i < 96; ++i) counts(i) = i;
  Array result = right_result(data, "counts");
  for (const int i : {3, 17, 18, 50}) result.data<std::int32_t>()[i] = -1;
  const LaunchShape blocks = shape_of({32, 32});
  CHECK(find_pattern(data, result, judge(data, result), &blocks).of_many() == "each is -1");
}

static Pattern pattern_of_rank_3(const Shape& shape, const Coverage& coverage,
                                 const std::function<bool(const Shape&)>& is_wrong) {
  Dataset data(Case{"c", {}, "", 5, {}});
  data.output<float>("V", shape);
  Array result = right_result(data, "V");
  for (std::size_t i = 0; i < result.count(); ++i)
    if (is_wrong(index_of(shape, i))) result.data<float>()[i] = static_cast<float>(i) + 1;
  return find_pattern(data, result, judge(data, result), coverage);
}

TEST_CASE("elements of whole blocks that were never written") {
  const Dataset data = sample_data(32, 48, 5);
  const auto second_row = [](int row, int) { return row >= 16; };
  const auto at = [](int, int) { return unwritten; };
  CHECK(pattern_of(data, spoilt(data, second_row, at)).name == "blocks-never-written");
  const auto half = [](int row, int) { return row >= 24; };
  CHECK(pattern_of(data, spoilt(data, half, at)).name == "never-written");
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

TEST_CASE("a list of many indices is cut short") {
  std::vector<bool> in(300);
  for (std::size_t i = 0; i < in.size(); i += 2) in[i] = true;
  CHECK(index_list(in) == "0, 2, 4, 6, 8, 10, 12, 14, … (150 of 300)");
}

TEST_CASE("the edge of an array is wrong, and all within is right") {
  const Dataset data = sample_data(20, 30, 8);
  Array result = right_result(data);
  for (int row = 0; row < 20; ++row)
    for (int column = 0; column < 30; ++column)
      if (std::min({row, column, 19 - row, 29 - column}) < 2) element(result, row, column) += 100.5f;
  const Pattern found = find_pattern(data, result, judge(data, result), nullptr);
  CHECK(found.name == "edge");
  CHECK(found.words.find("2 elements deep") != std::string::npos);
  element(result, 10, 15) += 100.5f;
  CHECK(find_pattern(data, result, judge(data, result), nullptr).name != "edge");
}

TEST_CASE("values that are to be sorted are all there, in another order") {
  Dataset data(Case{"c", {}, "integers", 5, {}});
  const View keys = data.inout<std::uint32_t>("keys", {64});
  for (int i = 0; i < 64; ++i) keys(i) = (i * 37) % 64;
  const View sorted = data.expected_of("keys");
  for (int i = 0; i < 64; ++i) sorted(i) = i;
  Array result = right_result(data, "keys");
  std::reverse(result.data<std::uint32_t>(), result.data<std::uint32_t>() + 64);
  const auto pattern = [&] { return find_pattern(data, result, judge(data, result), nullptr).name; };
  CHECK(pattern() == "another-order");
  result.data<std::uint32_t>()[3] = 1000;  // one is lost
  CHECK(pattern() != "another-order");
}

TEST_CASE("rounded-to-float: doubles that are as exact as floats") {
  Dataset data(Case{"c", {}, "", 5, {}});
  const View y = data.output<double>("y", {20});
  for (int i = 0; i < 20; ++i) y(i) = Number(i + 1.0) / 3.0;
  const auto of = [&](const Array& result) {
    return find_pattern(data, result, judge(data, result), nullptr, nullptr);
  };
  Array result = right_result(data, "y");
  for (int i = 0; i < 20; ++i) {
    double& value = result.data<double>()[i];
    value = static_cast<float>(value);
  }
  CHECK(of(result).name == "rounded-to-float");
  result.data<double>()[3] *= 1.001;
  CHECK(of(result).name != "rounded-to-float");
}
