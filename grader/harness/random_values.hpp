// Seeded matrices, the same on every machine: a counter-based generator of our own and values that a
// float holds exactly, so that no library, compiler or rounding has a say.
#pragma once
#include <cstdint>

#include "matrix.hpp"

namespace warpgrade::harness {

enum class Values {
  integers,   // −8 … 8 without 0: fp32 sums of up to 2^18 products are exact
  zero_mean,  // multiples of 2^-20 in (−1, 1): double sums of up to 2^13 products are exact
};

// Which of a case's two matrices; their streams of random numbers are unrelated.
enum class Operand : std::uint64_t { A = 1, B = 2 };

// Number `index` of the stream that `seed` starts (SplitMix64 with a counter as its state).
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index);

float random_value(Values values, std::uint64_t bits);

Matrix<float> random_matrix(int rows, int columns, Values values, std::uint64_t seed, Operand operand);

}  // namespace warpgrade::harness
