#include "oracle.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "sample_data.hpp"

using namespace warpgrade::harness;

// How an honest kernel sums, with `inputs` applied to each operand first.
template <class Rounding>
static Matrix<float> fp32_result(const Dataset& data, Rounding inputs) {
  Matrix<float> C(data.task.m, data.task.n);
  for (int row = 0; row < C.rows; ++row)
    for (int column = 0; column < C.columns; ++column)
      for (int i = 0; i < data.task.k; ++i)
        C.at(row, column) =
            std::fma(inputs(data.A.at(row, i)), inputs(data.B.at(i, column)), C.at(row, column));
  return C;
}

static int count(const Matrix<Mark>& marks, Mark mark) {
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
  for (const Values values : {Values::integers, Values::zero_mean}) {
    const Dataset data = sample_data(40, 50, 300, values);
    CHECK(count(judge(data, fp32_result(data, same)), Mark::right) == 40 * 50);
  }
}

TEST_CASE("TF32 and bf16 inputs, or a missing product, do not pass with zero-mean values") {
  const Dataset data = sample_data(40, 50, 300, Values::zero_mean);
  CHECK(count(judge(data, fp32_result(data, shortened<13>)), Mark::wrong) > 40 * 50 / 2);
  CHECK(count(judge(data, fp32_result(data, shortened<16>)), Mark::wrong) > 40 * 50 * 9 / 10);

  Dataset shorter = data;
  --shorter.task.k;
  CHECK(count(judge(data, fp32_result(shorter, same)), Mark::wrong) > 40 * 50 * 9 / 10);
}

TEST_CASE("half precision, TF32 or bf16 inputs of one operand do not pass with integers") {
  const Dataset data = sample_data(40, 50, 60);
  CHECK(count(judge(data, fp32_result(data, shortened<13>)), Mark::wrong) > 40 * 50 * 9 / 10);
  Dataset shorter = data;
  for (float& value : shorter.B.values) value = shortened<13>(value);
  CHECK(count(judge(data, fp32_result(shorter, same)), Mark::wrong) > 40 * 50 * 9 / 10);
}

TEST_CASE("integers must be equal to the last bit") {
  const Dataset data = sample_data(3, 3, 100);
  Matrix<float> result = right_result(data);
  result.at(1, 2) = std::nextafter(result.at(1, 2), 1e9f);
  CHECK(judge(data, result).at(1, 2) == Mark::wrong);
  CHECK(count(judge(data, result), Mark::wrong) == 1);
}

TEST_CASE("NaN and infinity are wrong whatever the tolerance") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  CHECK_FALSE(is_close(nan, 0, 1e300));
  CHECK_FALSE(is_close(infinity, 0, 1e300));
  CHECK_FALSE(is_close(nan, 0, std::numeric_limits<double>::infinity()));
}

TEST_CASE("the tolerance is 32 u |A||B| for zero-mean values and nothing for integers") {
  CHECK(tolerance(Values::zero_mean, 1.0) == std::ldexp(1.0, -19));
  CHECK(tolerance(Values::integers, 1e6) == 0);
}

TEST_CASE("a partial sum of all products is the result") {
  const Dataset data = sample_data(2, 3, 10);
  CHECK(partial_sum(data, 1, 2, 10) == data.C.at(1, 2));
  CHECK(partial_sum(data, 1, 2, 0) == 0);
}
