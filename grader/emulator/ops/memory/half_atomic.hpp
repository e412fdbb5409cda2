// 16-bit floating-point numbers and pairs of them, for atomics.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace warpgrade::emulator {

// IEEE binary16. Sums are exact in float before they are rounded (24 ≥ 2·11 + 2 bits), so they are rounded
// once.
struct Half {
  std::uint16_t bits = 0;
  float value() const { return static_cast<float>(std::bit_cast<_Float16>(bits)); }
  static Half of(float value) { return {std::bit_cast<std::uint16_t>(static_cast<_Float16>(value))}; }
};

// bfloat16: the upper half of a float, rounded to nearest even.
struct Brain {
  std::uint16_t bits = 0;
  float value() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
  static Brain of(float value) {
    if (std::isnan(value)) return {0x7fff};
    const auto all = std::bit_cast<std::uint32_t>(value);
    return {static_cast<std::uint16_t>((all + 0x7fffu + (all >> 16 & 1u)) >> 16)};
  }
};

template <class T>
constexpr bool is_half = std::is_same_v<T, Half> || std::is_same_v<T, Brain>;

template <class T>
requires is_half<T> T operator+(T a, T b) { return T::of(a.value() + b.value()); }

// min.f16 and max.f16: a NaN loses against a number; −0 is less than +0 (manual 9.7.4.7).
template <class T>
T least(T a, T b) {
  if constexpr (is_half<T>) {
    if (std::isnan(a.value())) return std::isnan(b.value()) ? T{0x7fff} : b;
    if (std::isnan(b.value())) return a;
    if (a.value() == b.value()) return std::signbit(a.value()) ? a : b;
    return a.value() < b.value() ? a : b;
  } else {
    return a < b ? a : b;
  }
}
template <class T>
T greatest(T a, T b) {
  if constexpr (is_half<T>) {
    if (std::isnan(a.value())) return std::isnan(b.value()) ? T{0x7fff} : b;
    if (std::isnan(b.value())) return a;
    if (a.value() == b.value()) return std::signbit(a.value()) ? b : a;
    return a.value() > b.value() ? a : b;
  } else {
    return a > b ? a : b;
  }
}

template <class T>
struct Pair {
  T low, high;
};
template <class T>
Pair<T> operator+(Pair<T> a, Pair<T> b) {
  return {a.low + b.low, a.high + b.high};
}
template <class T>
Pair<T> least(Pair<T> a, Pair<T> b) {
  return {least(a.low, b.low), least(a.high, b.high)};
}
template <class T>
Pair<T> greatest(Pair<T> a, Pair<T> b) {
  return {greatest(a.low, b.low), greatest(a.high, b.high)};
}

}  // namespace warpgrade::emulator
