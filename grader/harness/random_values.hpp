// Seeded matrices that are the same on every machine: a counter-based generator, and values that a float
// holds exactly, so that they depend on no library, compiler or rounding.
#pragma once
#include <cstdint>

#include "matrix.hpp"

namespace warpgrade::harness {

enum class Values {
  integers,   // whole numbers whose fp32 sums are exact in any order, see random_matrix
  zero_mean,  // multiples of 2^-20 in (−1, 1): double sums of up to 2^13 products are exact
};

// Which of a case's two matrices; their streams of random numbers are unrelated.
enum class InputMatrix : std::uint64_t { A = 1, B = 2 };

// Number `index` of the stream that `seed` starts (SplitMix64 with a counter as its state).
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index);

// The values of a case's A or B. For integers, one factor of each product is odd in ±(4097 … 8191), which
// needs 13 bits: half precision, tf32 and bfloat16 have fewer. The other factor is in ±(1 … 8), or smaller if
// k is above 256, so that no sum exceeds 2^24. A and B alternate along k. If k is above 2048, both are in ±(1
// … 8).
Matrix<float> random_matrix(int rows, int columns, Values values, std::uint64_t seed, InputMatrix which);

}  // namespace warpgrade::harness
