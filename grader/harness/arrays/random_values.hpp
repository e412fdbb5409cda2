// Seeded values that are the same on every machine. The generator is counter-based and the type of the array
// holds each value exactly, so that library, compiler and rounding do not matter.
#pragma once
#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>

#include "arrays/array.hpp"

namespace warpgrade::harness {

// The finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
constexpr std::uint64_t mix_bits(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Gives other bits for some numbers of a stream while it is set: see influence/redraw.hpp.
using ReplaceBits = std::uint64_t (*)(std::uint64_t seed, std::uint64_t index, std::uint64_t bits);
inline ReplaceBits replace_bits = nullptr;

// Number `index` of the stream that `seed` starts (SplitMix64 with a counter as its state).
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t bits = mix_bits(seed + (index + 1) * 0x9e3779b97f4a7c15);
  return std::is_constant_evaluated() || !replace_bits ? bits : replace_bits(seed, index, bits);
}

// The magnitude with the top bit as its sign, without a branch that a processor predicts wrongly half the
// time.
inline double with_random_sign(double magnitude, std::uint64_t bits) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | (bits & sign));
}

// A multiple of 2^-20 in (−1, 1): double sums of up to 2^13 products of such numbers are exact.
double random_fraction(std::uint64_t bits);

// The seed of an array's own stream: the streams of a case's arrays are unrelated.
std::uint64_t stream_of(std::uint64_t seed, const std::string& array);

// Fills an array with values of the case's kind. Arrays of an integer type get all values of the type for
// 8 and 16 bits, else 0 … 2^20−1. Floating-point arrays get whole numbers in ±(1 … 8) for "integers", and
// otherwise random_fraction() with as many bits as the type holds; double gets fractions of 52 bits.
void fill_random(Array& array, const std::string& values, std::uint64_t seed);

}  // namespace warpgrade::harness
