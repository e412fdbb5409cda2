// Approximate functions of f32 (PTX ISA 9.7.3.13 to .22), far more exactly than the manual asks, but for sine
// and cosine: in double precision, then rounded once. Our own series rather than the C library's functions,
// so that they vectorise and give the same bits on every machine.
#pragma once

#include "isa/functors/floating.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {

static inline double power_of_two(std::int64_t n) {  // −1022 ≤ n ≤ 1023
  return from_bits(static_cast<std::uint64_t>(n + 1023) << 52);
}
// The nearest integer to a number below 2^51, by adding and taking away 1.5 · 2^52.
static inline double nearest_integer(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

// c[0] + c[1]·x + …
template <int kTerms>
static inline double polynomial(const double (&c)[kTerms], double x) {
  double sum = c[kTerms - 1];
  for (int i = kTerms - 2; i >= 0; --i) sum = sum * x + c[i];
  return sum;
}

// 2^x for |x| ≤ 1000: 2^n · e^(f·ln 2) with |f| ≤ ½; the series of e^y has 2^−50 left after 13 terms.
static inline double exp2_double(double x) {
  constexpr double kSeries[] = {1.0,
                                1.0,
                                1.0 / 2,
                                1.0 / 6,
                                1.0 / 24,
                                1.0 / 120,
                                1.0 / 720,
                                1.0 / 5040,
                                1.0 / 40320,
                                1.0 / 362880,
                                1.0 / 3628800,
                                1.0 / 39916800,
                                1.0 / 479001600,
                                1.0 / 6227020800.0};
  const double n = nearest_integer(x);
  const double y = (x - n) * 0x1.62e42fefa39efp-1;
  return polynomial(kSeries, y) * power_of_two(static_cast<std::int64_t>(static_cast<std::int32_t>(n)));
}

struct Exp2Approximate {
  static float apply(float x) {
    const float inside = x > 200.0f ? 200.0f : (x < -200.0f ? -200.0f : x);
    const auto result = static_cast<float>(exp2_double(inside == inside ? inside : 0.0f));
    return x != x ? x : result;
  }
};

// log2 of a positive finite number: exponent plus 2·artanh((m−1)/(m+1))/ln 2 with m in [√½, √2].
struct Log2Approximate {
  static float apply(float x) {
    constexpr double kSeries[] = {1.0,      1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9, 1.0 / 11,
                                  1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21};
    const double positive = x > 0.0f && x < __builtin_inff() ? static_cast<double>(x) : 1.0;
    const std::uint64_t bits = to_bits(positive);
    const std::uint64_t above = (bits & 0xfffffffffffff) > 0x6a09e667f3bcd ? 1 : 0;  // mantissa beyond √2
    const auto exponent = static_cast<std::int32_t>(bits >> 52) - 1023 + static_cast<std::int32_t>(above);
    const double m = from_bits((bits & 0xfffffffffffff) | (1023 - above) << 52);
    const double s = (m - 1.0) / (m + 1.0);
    const double log = 2.0 * s * polynomial(kSeries, s * s) * 0x1.71547652b82fep+0;
    const auto result = static_cast<float>(static_cast<double>(exponent) + log);
    const float outside = x == 0.0f ? -__builtin_inff() : (x < 0.0f ? from_bits(0x7fffffffu) : x);
    return x > 0.0f && x < __builtin_inff() ? result : outside;
  }
};

// sin(x + quarters·π/2). As on a GPU, x becomes a part of a whole turn by a product of floats, rounded toward
// zero (FMUL.RZ by 0.15915494, then MUFU.SIN): that is the error of __sinf, which grows with x. The function
// of the turn is exact here.
static inline float sine_of(float x, int quarters) {
  constexpr double kSine[] = {1.0,          -1.0 / 6,          1.0 / 120,          -1.0 / 5040,
                              1.0 / 362880, -1.0 / 39916800.0, 1.0 / 6227020800.0, -1.0 / 1307674368000.0};
  constexpr double kCosine[] = {1.0,         -1.0 / 2,         1.0 / 24,          -1.0 / 720,
                                1.0 / 40320, -1.0 / 3628800.0, 1.0 / 479001600.0, -1.0 / 87178291200.0};
  constexpr double kTurn = 0x1.45f306p-3;  // 1/(2π) as a float
  const bool in_range = __builtin_fabsf(x) < 0x1p30f;
  const double product = in_range ? static_cast<double>(x) * kTurn : 0.0;  // exact
  const auto nearest = static_cast<float>(product);
  const bool beyond = __builtin_fabs(static_cast<double>(nearest)) > __builtin_fabs(product);
  const float turn = from_bits(to_bits(nearest) - (beyond ? 1u : 0u));
  const double quarter_turns = 4.0 * static_cast<double>(turn);
  const double n = nearest_integer(quarter_turns);
  const double y = (quarter_turns - n) * 0x1.921fb54442d18p+0;
  const int quadrant = static_cast<std::int32_t>(n) + quarters;
  const double odd = y * polynomial(kSine, y * y), even = polynomial(kCosine, y * y);
  const double value = quadrant & 1 ? even : odd;
  const auto result = static_cast<float>(quadrant & 2 ? -value : value);
  const float zero = quarters ? 1.0f : from_bits(to_bits(x) & 0x80000000u);
  const float limited = turn == 0.0f ? zero : result;  // sin(−0) is −0
  return __builtin_fabsf(x) < __builtin_inff() ? limited : from_bits(0x7fffffffu);
}
struct SineApproximate {
  static float apply(float x) { return sine_of(x, 0); }
};
struct CosineApproximate {
  static float apply(float x) { return sine_of(x, 1); }
};

// tanh = (e^2x − 1)/(e^2x + 1); for small x its own series, where the difference would lose bits.
struct TanhApproximate {
  static float apply(float x) {
    constexpr double kSeries[] = {1.0, -1.0 / 3, 2.0 / 15, -17.0 / 315, 62.0 / 2835, -1382.0 / 155925};
    const double y = __builtin_fabsf(x) < 10.0f ? static_cast<double>(x) : 0.0;
    const double e = exp2_double(y * (2.0 * 0x1.71547652b82fep+0));
    const double quotient = (e - 1.0) / (e + 1.0);
    const double near = y * polynomial(kSeries, y * y);
    const auto result = static_cast<float>(__builtin_fabs(y) < 0.0625 ? near : quotient);
    const float small = x == 0.0f ? x : result;
    const float limited = __builtin_fabsf(x) < 10.0f ? small : __builtin_copysignf(1.0f, x);
    return x != x ? x : limited;
  }
};

struct ReciprocalApproximate {
  static float apply(float x) { return 1.0f / x; }
};
struct SquareRootApproximate {
  static float apply(float x) { return __builtin_sqrtf(x); }
};
struct ReciprocalSquareRoot {
  static float apply(float x) { return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x))); }
  static double apply(double x) { return 1.0 / __builtin_sqrt(x); }
};
// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 look at the upper 32 bits only and leave zeros below.
// What is cut off counts as half a unit where kNearest is set, which is what comes closest to an H200.
template <class F, bool kNearest>
struct UpperHalf {
  static constexpr std::uint64_t kUpper = 0xffffffff00000000, kNan = 0x7fffffff00000000;
  static double flush(double x) { return __builtin_fabs(x) < 0x1p-1022 ? __builtin_copysign(0.0, x) : x; }
  static double apply(double x) {
    const double result = flush(F::apply(flush(from_bits(to_bits(x) & kUpper))));
    const double rounded = from_bits((to_bits(result) + (kNearest ? 0x80000000 : 0)) & kUpper);
    return result != result ? from_bits(kNan) : rounded;
  }
};

}  // namespace warpgrade::isa::WARPGRADE_LANES
