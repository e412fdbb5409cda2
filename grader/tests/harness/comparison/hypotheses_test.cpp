#include "comparison/hypotheses.hpp"

#include <doctest/doctest.h>

#include <bit>

#include "product_mistakes.hpp"
#include "tests/harness/sample_data.hpp"

using namespace warpgrade::harness;

static const LaunchShape tiles_of_16 = shape_of({16, 16, 16, 16});

// What a kernel would give that computes each element by `value`.
template <class Value>
static Array made(const Dataset& data, Value value) {
  Array result = right_result(data);
  for (int row = 0; row < data.as_int("m"); ++row)
    for (int column = 0; column < data.as_int("n"); ++column)
      element(result, row, column) = static_cast<float>(value(row, column));
  return result;
}

static std::string hypothesis(const Dataset& data, const Array& result) {
  return find_pattern(data, result, judge(data, result), &tiles_of_16, product_mistake).name;
}

TEST_CASE("a mistake that explains every wrong element is named") {
  const Dataset data = sample_data(32, 48, 40);
  const auto A = matrix_of<float>(data.array("A")), B = matrix_of<float>(data.array("B"));
  const auto last_phase = [&](int row, int column) {
    double sum = 0;
    for (int i = 32; i < 40; ++i)
      sum += static_cast<double>(A.at(row, i)) * static_cast<double>(B.at(i, column));
    return sum;
  };
  CHECK(hypothesis(data, made(data, last_phase)) == "last-phase-only");
}

TEST_CASE("one that explains all but one is not") {
  const Dataset data = sample_data(32, 48, 40);
  const auto without_first = [&](int row, int column) {
    return row == 7 && column == 9 ? 1e6
                                   : partial_sum(data, row, column, 40) - partial_sum(data, row, column, 1);
  };
  CHECK(hypothesis(data, made(data, without_first)) == "all");
}

TEST_CASE("one that would have spoilt what is right explains nothing") {
  const Dataset data = sample_data(32, 48, 40);
  const auto without_first_in_a_row = [&](int row, int column) {
    return row == 7 ? partial_sum(data, row, column, 40) - partial_sum(data, row, column, 1)
                    : expected_at(data, row, column);
  };
  CHECK(hypothesis(data, made(data, without_first_in_a_row)) != "first-product");
}

TEST_CASE("what would give the right values explains nothing") {
  const Dataset data = sample_data(32, 48, 40, "integers");
  const auto one_more = [&](int row, int column) { return expected_at(data, row, column) + 1; };
  const Array result = made(data, one_more);
  const WrongResult wrong{data, result, judge(data, result), &tiles_of_16, {0, 1, 2, 3, 4, 5}};
  const auto right = [&](std::size_t i) {
    return expected_at(data, static_cast<int>(i / 48), static_cast<int>(i % 48));
  };
  CHECK_FALSE(explained(wrong, {{"right", "is as it should be", right}}));
}

TEST_CASE("few digits may agree by chance") {
  const Dataset data = sample_data(32, 48, 40);
  const Array zeros = made(data, [](int, int) { return 0.0; });
  const WrongResult wrong{data, zeros, judge(data, zeros), &tiles_of_16, {0}};
  CHECK_FALSE(explained(wrong, {{"nothing", "is 0", [](std::size_t) { return 0.0; }}}));
}

TEST_CASE("as many products as another extent says") {
  const auto of_48 = [](const Dataset& data) {
    const auto first_48 = [&](int row, int column) { return partial_sum(data, row, column, 48); };
    const Array result = made(data, first_48);
    const Pattern found = find_pattern(data, result, judge(data, result), &tiles_of_16, product_mistake);
    CHECK(found.name == "from-phase");
    return found.words;
  };
  CHECK(of_48(sample_data(32, 48, 64)).find("as many as n says") != std::string::npos);
  // Whole tiles have as many by chance.
  const std::string of_whole_tiles = of_48(sample_data(32, 48, 56));
  CHECK(of_whole_tiles.find("n says") == std::string::npos);
  CHECK(of_whole_tiles.find("rounded down") != std::string::npos);
}

TEST_CASE("a small whole number may agree by chance, one among fractions does not") {
  const auto is_named = [](const Dataset& data) {
    const Array result = made(data, [](int, int) { return -18.0; });
    const WrongResult wrong{data, result, judge(data, result), &tiles_of_16, {0}};
    return explained(wrong, {{"eighteen", "is -18", [](std::size_t) { return -18.0; }}}).has_value();
  };
  CHECK_FALSE(is_named(sample_data(32, 48, 40, "integers")));
  CHECK(is_named(sample_data(32, 48, 40, "zero-mean")));
}

TEST_CASE("a mistake may leave out elements, and then exactly these are unwritten") {
  const Dataset data = sample_data(32, 48, 40, "integers");
  const float unwritten = std::bit_cast<float>(0x7fc5eed5u);
  const auto twice = [&](int row, int column) {
    return row < 16 ? 2 * expected_at(data, row, column) : static_cast<double>(unwritten);
  };
  Array result = made(data, twice);
  for (int column = 0; column < 48; ++column) element(result, 20, column) = unwritten;
  const auto named = [&](int first_left_out) {
    const auto own = [&](const WrongResult& q) {
      const auto value = [&](std::size_t i) { return 2 * q.data.expected("C").at(i).value(); };
      const auto left = [=](std::size_t i) { return static_cast<int>(i / 48) >= first_left_out; };
      return explained(q, {{"twice", "is twice what it should be", value, left}});
    };
    return find_pattern(data, result, judge(data, result), &tiles_of_16, own).name;
  };
  CHECK(named(16) == "twice");
  CHECK(named(20) != "twice");
}

TEST_CASE("operands of a thread with several rows and columns") {
  static const LaunchShape several = shape_of({4, 4, 16, 16});
  const Dataset data = sample_data(30, 44, 12, "integers");
  const auto name = [&](const Array& result, const LaunchShape& shape) {
    return find_pattern(data, result, judge(data, result), &shape, product_mistake).name;
  };
  // The row of the block that has the number of the element's column; it may lie outside.
  const Array of_row = made(data, [&](int row, int column) {
    const int other = row / 16 * 16 + column % 16;
    return other < 30 ? expected_at(data, other, column) : 0.0;
  });
  CHECK(name(of_row, several) == "A-operand-of-another");
  CHECK(name(of_row, tiles_of_16) != "A-operand-of-another");
  const Array of_column = made(data, [&](int row, int column) {
    const int other = column / 16 * 16 + row % 16;
    return other < 44 ? expected_at(data, row, other) : 0.0;
  });
  CHECK(name(of_column, several) == "B-operand-of-another");
}
