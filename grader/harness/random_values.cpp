#include "random_values.hpp"

#include <algorithm>

namespace warpgrade::harness {
namespace {

// The finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// No zeros: a factor of 0 would hide an error in the other factor.
float random_integer(std::uint64_t bits, bool wide, std::uint64_t smalls) {
  const float magnitude = static_cast<float>(wide ? 4097 + 2 * (bits & 2047) : 1 + bits % smalls);
  return bits >> 63 ? -magnitude : magnitude;
}

float random_fraction(std::uint64_t bits) {
  constexpr int fraction_bits = 20;
  const float magnitude = static_cast<float>(bits & ((1u << fraction_bits) - 1)) / (1u << fraction_bits);
  return bits >> 63 ? -magnitude : magnitude;
}

}  // namespace

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  return mix(seed + (index + 1) * 0x9e3779b97f4a7c15);
}

Matrix<float> random_matrix(int rows, int columns, Values values, std::uint64_t seed, InputMatrix which) {
  const std::uint64_t stream = mix(seed ^ mix(static_cast<std::uint64_t>(which)));
  const bool is_A = which == InputMatrix::A;
  const int k = is_A ? columns : rows;
  const bool can_be_wide = k <= 2048;  // 2048 · 8191 is below 2^24
  const std::uint64_t smalls = can_be_wide ? static_cast<std::uint64_t>(std::clamp(2048 / k, 1, 8)) : 8;
  Matrix<float> matrix(rows, columns);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const std::uint64_t index = static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(columns) +
                                  static_cast<std::uint64_t>(column);
      const std::uint64_t bits = random_bits(stream, index);
      const bool wide = can_be_wide && (is_A ? column % 2 == 0 : row % 2 == 1);
      matrix.at(row, column) =
          values == Values::integers ? random_integer(bits, wide, smalls) : random_fraction(bits);
    }
  return matrix;
}

}  // namespace warpgrade::harness
