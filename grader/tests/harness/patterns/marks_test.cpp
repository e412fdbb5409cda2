#include "patterns/marks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tests/harness/sample_data.hpp"

using namespace warpgrade::harness;

// How an honest kernel sums the first `products` products, with `inputs` applied to each operand first.
template <class Rounding>
static Array fp32_result(const Dataset& data, Rounding inputs, int products) {
  const auto A = matrix_of<float>(data.array("A")), B = matrix_of<float>(data.array("B"));
  Array result = make_array("C", ElementType::f32, {A.rows, B.columns}, Role::output);
  const auto C = matrix_of<float>(result);
  for (int row = 0; row < C.rows; ++row)
    for (int column = 0; column < C.columns; ++column)
      for (int i = 0; i < products; ++i)
        C.at(row, column) = std::fma(inputs(A.at(row, i)), inputs(B.at(i, column)), C.at(row, column));
  return result;
}

template <class Rounding>
static Array fp32_result(const Dataset& data, Rounding inputs) {
  return fp32_result(data, inputs, data.as_int("k"));
}

static int count(const Marks& marks, Mark mark) {
  return static_cast<int>(std::count(marks.values.begin(), marks.values.end(), mark));
}

static float same(float x) { return x; }

// Rounds to nearest after dropping `bits` bits of the significand.
template <int bits>
static float shortened(float x) {
  const std::uint32_t half = 1u << (bits - 1);
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + half) & ~((1u << bits) - 1));
}

TEST_CASE("honest fp32 sums pass, of integers and of zero-mean values") {
  for (const char* values : {"integers", "zero-mean"}) {
    const Dataset data = sample_data(40, 50, 300, values);
    CHECK(count(judge(data, fp32_result(data, same)), Mark::right) == 40 * 50);
  }
}

TEST_CASE("TF32 and bf16 inputs, or a missing product, do not pass with zero-mean values") {
  const Dataset data = sample_data(40, 50, 300, "zero-mean");
  CHECK(count(judge(data, fp32_result(data, shortened<13>)), Mark::wrong) > 40 * 50 / 2);
  CHECK(count(judge(data, fp32_result(data, shortened<16>)), Mark::wrong) > 40 * 50 * 9 / 10);

  CHECK(count(judge(data, fp32_result(data, same, 299)), Mark::wrong) > 40 * 50 * 9 / 10);
}

TEST_CASE("half precision, TF32 or bf16 inputs of one operand do not pass with integers") {
  const Dataset data = sample_data(40, 50, 60);
  CHECK(count(judge(data, fp32_result(data, shortened<13>)), Mark::wrong) > 40 * 50 * 9 / 10);
  Dataset shorter = data;
  float* B = shorter.array("B").data<float>();
  for (std::size_t i = 0; i < shorter.array("B").count(); ++i) B[i] = shortened<13>(B[i]);
  CHECK(count(judge(data, fp32_result(shorter, same)), Mark::wrong) > 40 * 50 * 9 / 10);
}

TEST_CASE("integers must be equal to the last bit") {
  const Dataset data = sample_data(3, 3, 100);
  Array result = right_result(data);
  element(result, 1, 2) = std::nextafter(element(result, 1, 2), 1e9f);
  CHECK(judge(data, result).values[1 * 3 + 2] == Mark::wrong);
  CHECK(count(judge(data, result), Mark::wrong) == 1);
}

TEST_CASE("NaN and infinity are wrong whatever the tolerance") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK_FALSE(is_close(nan, 0, 1e300));
  CHECK_FALSE(is_close(infinity, 0, 1e300));
  CHECK_FALSE(is_close(nan, 0, std::numeric_limits<double>::infinity()));
}

TEST_CASE("the tolerance is 32 u |A||B| for zero-mean values and nothing for integers") {
  CHECK(product_tolerance("zero-mean", 1.0) == std::ldexp(1.0, -19));
  CHECK(product_tolerance("integers", 1e6) == 0);
}

TEST_CASE("a partial sum of all products is the result") {
  const Dataset data = sample_data(2, 3, 10);
  CHECK(partial_sum(data, 1, 2, 10) == expected_at(data, 1, 2));
  CHECK(partial_sum(data, 1, 2, 0) == 0);
}

TEST_CASE("a wrong byte that holds its mark by chance is not taken for one that was never written") {
  Dataset data(Case{"c", {}, "", 5, {}});
  data.output<std::uint8_t>("image", {64, 64});
  Array result = right_result(data, "image");
  for (std::byte& byte : result.bytes) byte = std::byte{17};
  CHECK(count(judge(data, result), Mark::never_written) == 0);
  CHECK(count(judge(data, result), Mark::wrong) == 64 * 64);
  result.bytes = never_written_marks(data, "image");
  CHECK(count(judge(data, result), Mark::never_written) == 64 * 64);
}

TEST_CASE("what a program has not written is full of the byte that its memory began with") {
  Dataset data(Case{"c", {}, "", 5, {}});
  data.output<std::int32_t>("image", {8, 8});
  Array result = right_result(data, "image");
  std::fill_n(result.bytes.begin(), 4 * 8, std::byte{0xCD});
  CHECK(count(judge(data, result), Mark::wrong) == 8);
  data.unwritten = std::byte{0xCD};
  CHECK(count(judge(data, result), Mark::never_written) == 8);
}
