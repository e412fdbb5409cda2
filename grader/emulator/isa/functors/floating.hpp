// Functors of the f32 and f64 instructions (PTX ISA 9.7.3), in the rounding mode that the processor is in.
//
// NaN and .ftz follow an H200. Every f32 operation returns the same NaN, 0x7fffffff. An f64 operation returns
// an operand's NaN, made quiet, with its sign and payload; nan_of() chooses among several. It returns
// 0xfff8000000000000 if no operand was NaN. .ftz replaces subnormal operands by zero. A result that is below
// 2^-126 after rounding to 24 digits becomes zero, even if rounding to the fewer digits of a subnormal number
// would have given 2^-126.
#pragma once

#include "isa/functors/loop.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {

static inline float from_bits(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }
static inline double from_bits(std::uint64_t bits) { return __builtin_bit_cast(double, bits); }
static inline std::uint32_t to_bits(float x) { return __builtin_bit_cast(std::uint32_t, x); }
static inline std::uint64_t to_bits(double x) { return __builtin_bit_cast(std::uint64_t, x); }

static inline float canonical(float x) { return x != x ? from_bits(0x7fffffffu) : x; }
static inline double quiet(double x) { return from_bits(to_bits(x) | std::uint64_t{1} << 51); }

// Which NaN an f64 operation returns.
static inline double nan_of(double a) {
  return a != a ? quiet(a) : from_bits(std::uint64_t{0xfff8000000000000});
}
static inline double nan_of(double a, double b) { return b != b ? quiet(b) : nan_of(a); }
static inline double nan_of(double a, double b, double c) { return b != b ? quiet(b) : nan_of(a, c); }

constexpr float kSmallestNormal = 0x1p-126f;

template <bool kFlush>
static inline float flushed(float x) {
  if constexpr (kFlush) return __builtin_fabsf(x) < kSmallestNormal ? __builtin_copysignf(0.0f, x) : x;
  return x;
}
template <bool kFlush>
static inline double flushed(double x) {
  return x;
}

// [0, 1]; NaN and −0 become +0.
static inline float unit_range(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
static inline double unit_range(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }

// Adds PTX's treatment of subnormals, NaN and .sat to F. An F whose subnormal results may be inexact has
// scaled(): the result times 2^24, for results of about 2^-126. It is not subnormal, and so it is rounded to
// all 24 digits.
template <class F, bool kFlush = false, bool kSaturate = false>
struct Float {
  // apply() returns settled(raw()). See lanewise_handler().
  template <class... Floats>
  requires(!kFlush && !kSaturate) static float raw(Floats... x) { return F::apply(x...); }
  static float settled(float x) { return canonical(x); }

  template <class... Floats>
  static float apply(float a, Floats... x) {
    const float result =
        canonical(kFlush ? flushing(flushed<kFlush>(a), flushed<kFlush>(x)...) : F::apply(a, x...));
    if constexpr (kSaturate) return unit_range(result);
    return result;
  }
  template <class... Doubles>
  static double apply(double a, Doubles... x) {
    const double result = F::apply(a, x...);
    if constexpr (requires { F::first_nan; }) return result != result ? nan_of(x..., a) : result;
    return result != result ? nan_of(a, x...) : result;
  }

 private:
  template <class... Floats>
  static float flushing(Floats... x) {
    const float result = F::apply(x...);
    bool tiny = __builtin_fabsf(result) < kSmallestNormal;
    if constexpr (requires { F::scaled(x...); }) {
      const bool at_border = __builtin_fabsf(result) == kSmallestNormal;
      tiny |= at_border & (__builtin_fabsf(F::scaled(x...)) < kSmallestNormal * 0x1p24f);
    }
    return tiny ? __builtin_copysignf(0.0f, result) : result;
  }
};

struct FloatAdd {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};
struct FloatSubtract {
  template <class T>
  static T apply(T a, T b) {
    return a - b;
  }
};
struct FloatMultiply {
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
  // One of the factors of a tiny product is small enough to be scaled.
  static float scaled(float a, float b) {
    const bool a_smaller = __builtin_fabsf(a) < __builtin_fabsf(b);
    return (a_smaller ? a * 0x1p24f : a) * (a_smaller ? b : b * 0x1p24f);
  }
};
struct FloatMultiplyAdd {
  static float apply(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static double apply(double a, double b, double c) { return __builtin_fma(a, b, c); }
  static float scaled(float a, float b, float c) {
    const bool a_smaller = __builtin_fabsf(a) < __builtin_fabsf(b);
    return __builtin_fmaf(a_smaller ? a * 0x1p24f : a, a_smaller ? b : b * 0x1p24f, c * 0x1p24f);
  }
};
struct FloatDivide {
  static constexpr bool first_nan = true;  // of two NaNs the dividend's is returned: division is a sequence
  template <class T>
  static T apply(T a, T b) {
    return a / b;
  }
  static float scaled(float a, float b) { return a * 0x1p24f / b; }
};
struct FloatReciprocal {
  template <class T>
  static T apply(T a) {
    return T{1} / a;
  }
  static float scaled(float a) { return 0x1p24f / a; }
};
struct FloatSquareRoot {
  static float apply(float a) { return __builtin_sqrtf(a); }
  static double apply(double a) { return __builtin_sqrt(a); }
};
struct FloatNegate {
  static float apply(float a) { return from_bits(to_bits(a) ^ 0x80000000u); }
  static double apply(double a) { return from_bits(to_bits(a) ^ std::uint64_t{1} << 63); }
};
struct FloatAbsolute {
  static float apply(float a) { return from_bits(to_bits(a) & 0x7fffffffu); }
  static double apply(double a) { return from_bits(to_bits(a) & ~(std::uint64_t{1} << 63)); }
};
// copysign d, a, b: the sign of a on b.
struct CopySign {
  static float apply(float a, float b) {
    return from_bits((to_bits(a) & 0x80000000u) | (to_bits(b) & 0x7fffffffu));
  }
  static double apply(double a, double b) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    return from_bits((to_bits(a) & sign) | (to_bits(b) & ~sign));
  }
};
// min and max: −0 is below +0; one NaN gives the other operand, or with .NaN, NaN.
template <bool kNan, bool kMaximum>
struct FloatExtremum {
  template <class T>
  static T apply(T a, T b) {
    const bool a_first = kMaximum ? a > b : a < b;
    const bool b_first = kMaximum ? b > a : b < a;
    const bool a_negative = to_bits(a) > to_bits(b);  // of two equal zeros, a is the one with the sign
    const T of_equals = a_negative != kMaximum ? a : b;
    T result = a_first ? a : (b_first ? b : of_equals);
    if constexpr (kNan) {
      result = b != b ? b : result;
      return a != a ? a : result;
    } else {
      result = b != b ? a : result;
      return a != a ? b : result;
    }
  }
  template <class T>
  static T apply(T a, T b, T c) {
    return apply(apply(a, b), c);
  }
};
using Least = FloatExtremum<false, false>;
using LeastOrNan = FloatExtremum<true, false>;
using Greatest = FloatExtremum<false, true>;
using GreatestOrNan = FloatExtremum<true, true>;
// .abs: of the magnitudes; .xorsign: with the product of the signs.
template <class F>
struct OfMagnitudes {
  template <class... T>
  static float apply(T... x) {
    return F::apply(FloatAbsolute::apply(x)...);
  }
};
template <class F>
struct XorSign {
  static float apply(float a, float b) {
    const float magnitude = OfMagnitudes<F>::apply(a, b);
    return from_bits(to_bits(magnitude) | ((to_bits(a) ^ to_bits(b)) & 0x80000000u));
  }
};

// .approx division: the quotient is 0 for divisors beyond 2^126, as a × (1/b) with a flushed reciprocal
// gives.
struct FloatDivideApproximate : FloatDivide {
  static float apply(float a, float b) {
    const float divisor = __builtin_fabsf(b);
    const float quotient = a / b;
    const float lost = a * __builtin_copysignf(0.0f, b);  // NaN for an infinite dividend
    return (divisor > 0x1p126f) & (divisor < __builtin_inff()) ? lost : quotient;
  }
};

}  // namespace warpgrade::isa::WARPGRADE_LANES
