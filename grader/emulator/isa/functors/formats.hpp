// Floating-point formats narrower than the processor's: bits → float exactly, and any number → bits with one
// rounding.
#pragma once

#include "isa/functors/floating.hpp"
#include "isa/functors/integer.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {

enum class Round { nearest_even, nearest_away, zero, down, up };

template <int kMantissaBits, int kExponentBits, std::uint32_t kNan, std::uint64_t kLargest,
          bool kInfinity = true>
struct Format {
  static constexpr int mantissa = kMantissaBits;
  static constexpr int bias = (1 << (kExponentBits - 1)) - 1;
  static constexpr int sign_shift = kMantissaBits + kExponentBits;
  static constexpr std::uint64_t nan = kNan;  // the one that GPUs write
  static constexpr std::uint64_t largest = kLargest;
  static constexpr bool infinite = kInfinity;
};
using Binary16 = Format<10, 5, 0x7fff, 0x7bff>;
using Brain16 = Format<7, 8, 0x7fff, 0x7f7f>;
using Binary32 = Format<23, 8, 0x7fffffff, 0x7f7fffff>;
using Binary64 = Format<52, 11, 0, 0x7fefffffffffffff>;  // only from integers: no NaN
using Float8E4M3 = Format<3, 4, 0x7f, 0x7e, false>;
using Float8E5M2 = Format<2, 5, 0x7f, 0x7b>;
using Tensor32 = Format<10, 8, 0x3ffff, 0x3fbff>;  // tf32 without its 13 unused low bits

template <Round kMode>
static inline bool rounds_up(bool negative, std::uint64_t kept, std::uint64_t rest, std::uint64_t half) {
  if constexpr (kMode == Round::nearest_even) return rest > half || (rest == half && (kept & 1));
  if constexpr (kMode == Round::nearest_away) return rest >= half;
  if constexpr (kMode == Round::down) return negative && rest != 0;
  if constexpr (kMode == Round::up) return !negative && rest != 0;
  return false;
}

template <class F, Round kMode, bool kFinite>
static inline std::uint64_t overflowed(bool negative) {
  if constexpr (kFinite) return F::largest;
  if constexpr (!F::infinite) return F::nan;
  const bool toward_zero =
      kMode == Round::zero || (kMode == Round::down && !negative) || (kMode == Round::up && negative);
  return toward_zero ? F::largest : F::largest + 1;
}

// The bits of ±m·2^exponent in format F. kFinite: numbers that are too large become the largest finite one.
// kFlush: a number that is below the smallest normal one after rounding to all digits becomes zero.
template <class F, Round kMode, bool kFinite = false, bool kFlush = false>
static inline std::uint64_t encode(bool negative, std::uint64_t m, int exponent) {
  const std::uint64_t sign = std::uint64_t{negative} << F::sign_shift;
  if (m == 0) return sign;
  const int zeros = __builtin_clzll(m);
  m <<= zeros;
  const int e = exponent - zeros + 63 + F::bias;  // biased exponent; below 1 the number is subnormal
  const int subnormal = e < 1 && !kFlush ? 1 - e : 0;
  const int drop = 63 - F::mantissa + subnormal;
  std::uint64_t kept = 0, rest = 1, half = 2;
  if (drop < 64) {
    kept = m >> drop;
    rest = m & ((std::uint64_t{1} << drop) - 1);
    half = std::uint64_t{1} << (drop - 1);
  } else if (drop == 64) {
    rest = m;
    half = std::uint64_t{1} << 63;
  }
  kept += rounds_up<kMode>(negative, kept, rest, half);
  if constexpr (kFlush) {
    const bool reaches_normal = e == 0 && kept >> (F::mantissa + 1) != 0;
    if (e < 1) return reaches_normal ? sign | std::uint64_t{1} << F::mantissa : sign;
  }
  // A carry out of the mantissa raises the exponent by itself: the hidden bit is added to the field.
  constexpr int beyond = 1 << (F::sign_shift - F::mantissa);
  if (e > beyond) return sign | overflowed<F, kMode, kFinite>(negative);
  const std::uint64_t bits = e < 1 ? kept : (static_cast<std::uint64_t>(e - 1) << F::mantissa) + kept;
  return sign | (bits > F::largest ? overflowed<F, kMode, kFinite>(negative) : bits);
}

template <class F, Round kMode, bool kFinite = false, bool kFlush = false>
static inline std::uint64_t encode(double x) {
  if (x != x) return F::nan;
  const std::uint64_t bits = to_bits(x);
  const bool negative = bits >> 63;
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & 0xfffffffffffff;
  if (exponent == 0x7ff) {
    const std::uint64_t infinity = kFinite ? F::largest : (F::infinite ? F::largest + 1 : F::nan);
    return std::uint64_t{negative} << F::sign_shift | infinity;
  }
  if (exponent == 0) return encode<F, kMode, kFinite, kFlush>(negative, fraction, -1074);
  return encode<F, kMode, kFinite, kFlush>(negative, fraction | std::uint64_t{1} << 52, exponent - 1075);
}

static inline float half_to_float(std::uint32_t h) {
  // The exponent's bias differs by 112; multiplying also normalises subnormals. Infinity and NaN are
  // corrected afterwards.
  const float scaled = from_bits((h & 0x7fff) << 13) * 0x1p112f;
  const std::uint32_t special = (h & 0x7c00) == 0x7c00 ? 0x7f800000u : 0u;
  return from_bits(to_bits(scaled) | special | (h & 0x8000) << 16);
}
static inline float brain_to_float(std::uint32_t b) { return from_bits(b << 16); }

static inline float e5m2_to_float(std::uint32_t x) { return half_to_float((x & 0xff) << 8); }
static inline float e4m3_to_float(std::uint32_t x) {
  const float scaled = from_bits((x & 0x7f) << 20) * 0x1p120f;
  const float magnitude = (x & 0x7f) == 0x7f ? from_bits(0x7fffffffu) : scaled;
  return from_bits(to_bits(magnitude) | (x & 0x80) << 24);
}

// A sum, rounded to odd where it is inexact: rounding it again to half the digits then gives what rounding
// the exact sum once gives (s + error is the exact sum, by Knuth's two-sum).
static inline double add_to_odd(double a, double b) {
  const double s = a + b, bb = s - a;
  const double error = (a - (s - bb)) + (b - bb);
  const std::uint64_t bits = to_bits(s);
  // Where the error points to zero, s is one step too far out.
  const bool inexact = (error < 0.0 || error > 0.0) && (bits & 1) == 0;  // no NaN: infinities stay
  const bool inward = (error < 0.0) != (s < 0.0);
  return inexact ? from_bits(inward ? bits - 1 : bits + 1) : s;
}

// Rounds a float to nearest, with the result of encode<F, nearest_even>() but without branches, so that the
// loop over the lanes vectorises.
template <class F>
static inline std::uint16_t nearest(float x);
template <>
inline std::uint16_t nearest<Brain16>(float x) {
  const std::uint32_t bits = to_bits(x);
  const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return static_cast<std::uint16_t>(x != x ? 0x7fff : rounded);
}
template <>
inline std::uint16_t nearest<Binary16>(float x) {
  const std::uint32_t magnitude = to_bits(x) & 0x7fffffff, sign = to_bits(x) >> 16 & 0x8000;
  // Below 2^-14 the last digit is worth 2^-24, as in floats from 0.5 to 1: adding 0.5 rounds to it.
  const std::uint32_t subnormal = to_bits(from_bits(magnitude) + 0.5f) - to_bits(0.5f);
  const std::uint32_t normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  const std::uint32_t finite = magnitude < 0x38800000 ? subnormal : normal;
  const std::uint32_t limited = magnitude >= 0x47800000 || finite > 0x7c00 ? 0x7c00 : finite;
  return static_cast<std::uint16_t>(magnitude > 0x7f800000 ? 0x7fff : limited | sign);
}

// A double as a float, rounded to odd where it is inexact: rounding the float again, to nearest in a format
// of fewer digits, then gives what rounding the double gives.
static inline float to_odd(double x) {
  const auto f = static_cast<float>(x);
  const double back = static_cast<double>(f);
  const std::uint32_t bits = to_bits(f);
  const std::uint32_t step = __builtin_fabs(back) > __builtin_fabs(x) ? ~0u : 1u;
  const bool adjust = (back != x) & (x == x) & ((bits & 1) == 0);
  return from_bits(adjust ? bits + step : bits);
}

}  // namespace warpgrade::isa::WARPGRADE_LANES
