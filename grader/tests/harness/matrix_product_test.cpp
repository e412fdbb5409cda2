#include "matrix_product.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

using namespace warpgrade::harness;

namespace {

// A matrix with its elements.
struct Filled {
  float at(int row, int column) const { return values[static_cast<std::size_t>(row * columns + column)]; }

  int columns;
  std::vector<float> values;
};

Filled random_matrix(int rows, int columns, const char* kind, std::uint64_t seed, InputMatrix which) {
  Filled filled{columns, std::vector<float>(static_cast<std::size_t>(rows * columns))};
  fill_matrix({rows, columns, filled.values.data()}, kind, seed, which);
  return filled;
}

// FNV-1a over the bits of the values.
std::uint64_t digest(const Filled& matrix) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const float value : matrix.values) hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001b3;
  return hash;
}

}  // namespace

TEST_CASE("a seed gives the same values for ever") {
  CHECK(digest(random_matrix(7, 9, "integers", 1, InputMatrix::A)) == 8861456388661975751u);
  CHECK(digest(random_matrix(7, 9, "zero-mean", 1, InputMatrix::B)) == 8019249579363483143u);
}

TEST_CASE("another seed or the other which gives other values") {
  const Filled first = random_matrix(4, 4, "integers", 1, InputMatrix::A);
  CHECK(first.values != random_matrix(4, 4, "integers", 2, InputMatrix::A).values);
  CHECK(first.values != random_matrix(4, 4, "integers", 1, InputMatrix::B).values);
}

TEST_CASE("of two integers that meet one needs 13 bits and one is small, in turns along k") {
  const Filled A = random_matrix(200, 8, "integers", 3, InputMatrix::A);
  const Filled B = random_matrix(8, 200, "integers", 3, InputMatrix::B);
  for (int i = 0; i < 8; ++i) {
    std::set<float> wide, small;
    for (int other = 0; other < 200; ++other) {
      (i % 2 == 0 ? wide : small).insert(A.at(other, i));
      (i % 2 == 0 ? small : wide).insert(B.at(i, other));
    }
    CHECK(small == std::set<float>{-8, -7, -6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7, 8});
    CHECK(wide.size() > 150);
    for (const float value : wide) {
      CHECK(std::fabs(value) > 4096);
      CHECK(std::fabs(value) < 8192);
      CHECK(std::fmod(value, 2.0f) != 0);
    }
  }
}

TEST_CASE("no sum of integers leaves what a float holds exactly") {
  const auto largest = [](int k, InputMatrix which) {
    const int rows = which == InputMatrix::A ? 4 : k;
    const Filled matrix = random_matrix(rows, which == InputMatrix::A ? k : 4, "integers", 5, which);
    float most = 0;
    for (const float value : matrix.values) most = std::max(most, std::fabs(value));
    return most;
  };
  for (const int k : {1, 256, 257, 700, 1024, 2048}) {
    CHECK(largest(k, InputMatrix::A) > 4096);
    CHECK(8191 * std::clamp(2048 / k, 1, 8) * k < 1 << 24);
  }
  CHECK(largest(2049, InputMatrix::A) == 8);
  CHECK(largest(2049, InputMatrix::B) == 8);
}

TEST_CASE(
    "zero-mean values are multiples of 2^-20 in (-1, 1) with mean 0 and the variance of a uniform one") {
  const Filled matrix = random_matrix(100, 100, "zero-mean", 3, InputMatrix::B);
  double sum = 0;
  double squares = 0;
  for (const float value : matrix.values) {
    const double scaled = std::ldexp(static_cast<double>(value), 20);
    REQUIRE(scaled == std::trunc(scaled));
    REQUIRE(std::fabs(value) < 1);
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  CHECK(std::fabs(sum / 10000) < 0.02);
  CHECK(std::fabs(squares / 10000 - 1.0 / 3) < 0.02);
}
