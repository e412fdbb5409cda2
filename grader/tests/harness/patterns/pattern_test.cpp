#include "patterns/pattern.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "patterns/pattern_places.hpp"
#include "tests/harness/wrong_results.hpp"

using namespace warpgrade::harness;

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

TEST_CASE("same-difference: each sum begins at 1") {
  const Dataset data = sample_data(20, 20, 5);
  const auto more = [&](int row, int column) {
    return static_cast<float>(expected_at(data, row, column) + 1);
  };
  CHECK(pattern_of(data, spoilt(data, everywhere, more)).words ==
        "is too large by 1, the same for all, as if no sum began at 0");
  const auto of_row = [&](int row, int column) { return more(row, column) + static_cast<float>(row); };
  CHECK(pattern_of(data, spoilt(data, everywhere, of_row)).name == "all");
  const auto huge = [](int, int) { return 9e16f; };
  CHECK(pattern_of(data, spoilt(data, everywhere, huge)).name == "all");
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
  const auto below_zero = [&](int row, int column) { return expected_at(data, row, column) < 0; };
  CHECK(pattern_of(data, spoilt(data, below_zero, negative)).name == "absolute-value");
  // Too large to have a fraction, whatever type it had on the way.
  CHECK(pattern_of(data, spoilt(data, everywhere, [](int, int) { return 0x1p30f; })).name == "all");
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

TEST_CASE("elements of whole blocks that were never written") {
  const Dataset data = sample_data(32, 48, 5);
  const auto second_row = [](int row, int) { return row >= 16; };
  const auto at = [](int, int) { return unwritten; };
  CHECK(pattern_of(data, spoilt(data, second_row, at)).name == "blocks-never-written");
  const auto half = [](int row, int) { return row >= 24; };
  CHECK(pattern_of(data, spoilt(data, half, at)).name == "never-written");
}

TEST_CASE("a list of many indices is cut short") {
  std::vector<bool> in(300);
  for (std::size_t i = 0; i < in.size(); i += 2) in[i] = true;
  CHECK(index_list(in) == "0, 2, 4, 6, 8, 10, 12, 14, … (150 of 300)");
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
