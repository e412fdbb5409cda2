#include "arrays/random_values.hpp"

#include <cmath>

namespace warpgrade::harness {
namespace {

RawNumber random_integer(ElementType type, std::uint64_t bits) {
  const bool narrow = size_of(type) <= 2;
  const auto integer = static_cast<std::int64_t>(narrow ? bits & 0xffff : bits & 0xfffff);
  return {static_cast<double>(integer), integer};
}

double random_whole(std::uint64_t bits) {
  const auto magnitude = static_cast<double>(1 + bits % 8);
  return bits >> 63 ? -magnitude : magnitude;
}

// A multiple of 2^-52 in (−1, 1): float cannot hold a sum of such numbers exactly.
double double_fraction(std::uint64_t bits) {
  constexpr std::uint64_t one = std::uint64_t{1} << 52;
  const double magnitude = static_cast<double>(bits & (one - 1)) / static_cast<double>(one);
  return bits >> 63 ? -magnitude : magnitude;
}

// A multiple of `unit`, so coarse that a type with a narrow fraction holds it exactly.
double narrow_fraction(std::uint64_t bits, double unit) {
  const double fraction = random_fraction(bits);
  return std::trunc(fraction / unit) * unit;
}

}  // namespace

std::uint64_t mix_bits(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  return mix_bits(seed + (index + 1) * 0x9e3779b97f4a7c15);
}

double random_fraction(std::uint64_t bits) {
  constexpr int fraction_bits = 20;
  const double magnitude = static_cast<double>(bits & ((1u << fraction_bits) - 1)) / (1u << fraction_bits);
  return bits >> 63 ? -magnitude : magnitude;
}

std::uint64_t stream_of(std::uint64_t seed, const std::string& array) {
  std::uint64_t hash = 0;
  for (const char letter : array) hash = mix_bits(hash ^ static_cast<unsigned char>(letter));
  return mix_bits(seed ^ hash);
}

void fill_random(Array& array, const std::string& values, std::uint64_t seed) {
  const std::uint64_t stream = stream_of(seed, array.name);
  const double unit = std::fmax(0x1p-20, unit_roundoff(array.type));
  const bool whole = values == "integers";
  with_type(array.type, [&]<class T>(T) {
    T* const elements = array.data<T>();
    for (std::size_t i = 0, count = array.count(); i < count; ++i) {
      const std::uint64_t bits = random_bits(stream, i);
      if constexpr (std::is_integral_v<T>)
        elements[i] = element_of<T>(random_integer(array.type, bits));
      else
        elements[i] = element_of<T>({whole                       ? random_whole(bits)
                                     : std::is_same_v<T, double> ? double_fraction(bits)
                                                                 : narrow_fraction(bits, unit),
                                     0});
    }
  });
}

}  // namespace warpgrade::harness
