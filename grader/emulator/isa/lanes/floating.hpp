// Functors of the f32 and f64 instructions (PTX manual 9.7.3), in the rounding mode that the processor is in.
//
// GPUs return one NaN, 0x7fffffff, from every f32 operation. .ftz takes subnormal operands for zero and
// flushes subnormal results.
#pragma once

#include "isa/lanes/loop.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {

static inline float from_bits(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }
static inline double from_bits(std::uint64_t bits) { return __builtin_bit_cast(double, bits); }
static inline std::uint32_t to_bits(float x) { return __builtin_bit_cast(std::uint32_t, x); }
static inline std::uint64_t to_bits(double x) { return __builtin_bit_cast(std::uint64_t, x); }

static inline float canonical(float x) { return x != x ? from_bits(0x7fffffffu) : x; }
static inline double canonical(double x) { return x != x ? from_bits(std::uint64_t{0xfff8000000000000}) : x; }

template <bool kFlush>
static inline float flushed(float x) {
  if constexpr (kFlush) return __builtin_fabsf(x) < 1.17549435e-38f ? __builtin_copysignf(0.0f, x) : x;
  return x;
}
template <bool kFlush>
static inline double flushed(double x) {
  return x;
}

// [0, 1]; NaN and −0 become +0.
static inline float unit_range(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
static inline double unit_range(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }

// F with PTX's treatment of subnormals, NaN and .sat around it.
template <class F, bool kFlush = false, bool kSaturate = false>
struct Float {
  template <class... T>
  static auto apply(T... x) {
    const auto result = flushed<kFlush>(canonical(F::apply(flushed<kFlush>(x)...)));
    if constexpr (kSaturate)
      return unit_range(result);
    else
      return result;
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
};
struct FloatMultiplyAdd {
  static float apply(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static double apply(double a, double b, double c) { return __builtin_fma(a, b, c); }
};
struct FloatDivide {
  template <class T>
  static T apply(T a, T b) {
    return a / b;
  }
};
struct FloatReciprocal {
  template <class T>
  static T apply(T a) {
    return T{1} / a;
  }
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
struct FloatDivideApproximate {
  static float apply(float a, float b) {
    const float divisor = __builtin_fabsf(b);
    const float quotient = a / b;
    const float lost = a * __builtin_copysignf(0.0f, b);  // NaN for an infinite dividend
    return (divisor > 0x1p126f) & (divisor < __builtin_inff()) ? lost : quotient;
  }
};

}  // namespace warpgrade::isa::WARPGRADE_LANES
