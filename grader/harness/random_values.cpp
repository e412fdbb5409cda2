#include "random_values.hpp"

namespace warpgrade::harness {
namespace {

// The finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  return mix(seed + (index + 1) * 0x9e3779b97f4a7c15);
}

float random_value(Values values, std::uint64_t bits) {
  const bool negative = bits >> 63;
  if (values == Values::integers) {
    // No zeros: a factor of 0 would hide what a kernel did with its partner.
    const float magnitude = static_cast<float>(1 + (bits & 7));
    return negative ? -magnitude : magnitude;
  }
  constexpr int fraction_bits = 20;
  const float magnitude = static_cast<float>(bits & ((1u << fraction_bits) - 1)) / (1u << fraction_bits);
  return negative ? -magnitude : magnitude;
}

Matrix<float> random_matrix(int rows, int columns, Values values, std::uint64_t seed, Operand operand) {
  const std::uint64_t stream = mix(seed ^ mix(static_cast<std::uint64_t>(operand)));
  Matrix<float> matrix(rows, columns);
  for (std::size_t i = 0; i < matrix.values.size(); ++i)
    matrix.values[i] = random_value(values, random_bits(stream, i));
  return matrix;
}

}  // namespace warpgrade::harness
