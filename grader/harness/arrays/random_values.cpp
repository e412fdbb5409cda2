#include "arrays/random_values.hpp"

#include <cmath>

namespace warpgrade::harness {
namespace {

double random_whole(std::uint64_t bits) {
  const auto magnitude = static_cast<double>(1 + bits % 8);
  return with_random_sign(magnitude, bits);
}

// A multiple of 2^-52 in (−1, 1): float cannot hold a sum of such numbers exactly.
double double_fraction(std::uint64_t bits) {
  constexpr std::uint64_t one = std::uint64_t{1} << 52;
  const double magnitude = static_cast<double>(bits & (one - 1)) / static_cast<double>(one);
  return with_random_sign(magnitude, bits);
}

// The fraction with as many bits as `unit` leaves it, for a type that holds fewer than random_fraction() has.
double narrow_fraction(std::uint64_t bits, double unit) {
  return std::trunc(random_fraction(bits) / unit) * unit;
}

// Each element is value(bits) of its own random bits.
template <class T, class Value>
void fill(Array& array, std::uint64_t stream, Value value) {
  T* const elements = array.data<T>();
  for (std::size_t i = 0, count = array.count(); i < count; ++i)
    elements[i] = static_cast<T>(value(random_bits(stream, i)));
}

template <class T>
void fill_with_fractions(Array& array, std::uint64_t stream) {
  constexpr double unit = unit_roundoff(type_of<T>());
  if constexpr (std::is_same_v<T, double>)
    fill<T>(array, stream, double_fraction);
  else if constexpr (unit > 0x1p-20)
    fill<T>(array, stream, [](std::uint64_t bits) { return narrow_fraction(bits, unit); });
  else
    fill<T>(array, stream, random_fraction);
}

}  // namespace

double random_fraction(std::uint64_t bits) {
  constexpr int fraction_bits = 20;
  const double magnitude = static_cast<double>(bits & ((1u << fraction_bits) - 1)) / (1u << fraction_bits);
  return with_random_sign(magnitude, bits);
}

std::uint64_t stream_of(std::uint64_t seed, const std::string& array) {
  std::uint64_t hash = 0;
  for (const char letter : array) hash = mix_bits(hash ^ static_cast<unsigned char>(letter));
  return mix_bits(seed ^ hash);
}

void fill_random(Array& array, const std::string& values, std::uint64_t seed) {
  const std::uint64_t stream = stream_of(seed, array.name);
  with_type(array.type, [&]<class T>(T) {
    constexpr std::uint64_t kept = sizeof(T) <= 2 ? 0xffff : 0xfffff;
    if constexpr (std::is_integral_v<T>)
      fill<T>(array, stream, [](std::uint64_t bits) { return bits & kept; });
    else if (values == "integers")
      fill<T>(array, stream, random_whole);
    else
      fill_with_fractions<T>(array, stream);
  });
}

}  // namespace warpgrade::harness
