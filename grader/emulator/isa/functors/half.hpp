// Functors of the f16 and bf16 instructions (PTX ISA 9.7.4): computed in double, which holds the product of
// two such numbers exactly; add_to_odd() corrects inexact sums. So the result is rounded only once.
#pragma once

#include "isa/functors/compare.hpp"
#include "isa/functors/convert.hpp"
#include "isa/functors/special.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {

struct HalfMultiplyAdd {
  static double apply(double a, double b, double c) { return add_to_odd(a * b, c); }
};
// A function that is computed on floats. The hardware truncates its result to the narrow format.
template <class F>
struct ThroughFloat {
  static constexpr Round rounding = Round::zero;
  static double apply(double a) { return static_cast<double>(F::apply(static_cast<float>(a))); }
};
template <class F>
static constexpr Round rounding_of() {
  if constexpr (requires { F::rounding; }) return F::rounding;
  return Round::nearest_even;
}

template <class T>
static inline double narrow_to_double(std::uint32_t bits) {
  return static_cast<double>(Wide<T>::of(static_cast<std::uint16_t>(bits)));
}
template <class T>
static inline std::uint16_t flushed_bits(std::uint16_t bits) {
  constexpr int exponent = 0x7fff & ~((1 << FormatOf<T>::type::mantissa) - 1);
  return static_cast<std::uint16_t>(bits & exponent ? bits : bits & 0x8000);
}

enum class Clamp { none, unit, relu };  // .sat, .relu

template <class T, class F, bool kFlush = false, Clamp kClamp = Clamp::none>
struct OnHalf {
  template <class... Bits>
  static std::uint16_t apply(Bits... x) {
    double result = F::apply(narrow_to_double<T>(operand(x))...);
    if constexpr (kClamp == Clamp::unit) result = unit_range(result);
    if constexpr (kClamp == Clamp::relu) result = result <= 0.0 ? 0.0 : result;
    using Target = typename FormatOf<T>::type;
    if constexpr (rounding_of<F>() == Round::nearest_even && !kFlush) {
      return nearest<Target>(to_odd(result));
    } else {
      return static_cast<std::uint16_t>(encode<Target, rounding_of<F>(), false, kFlush>(result));
    }
  }

 private:
  static std::uint16_t operand(std::uint16_t x) {
    if constexpr (kFlush) return flushed_bits<T>(x);
    return x;
  }
};
// Changes the sign only; NaN becomes the format's own.
template <class T, std::uint16_t kAnd, std::uint16_t kXor, bool kFlush = false>
struct OnSign {
  static std::uint16_t apply(std::uint16_t x) {
    constexpr auto infinity = static_cast<std::uint16_t>(FormatOf<T>::type::largest + 1);
    if ((x & 0x7fff) > infinity) return 0x7fff;
    const auto bits = static_cast<std::uint16_t>((x & kAnd) ^ kXor);
    if constexpr (kFlush) return flushed_bits<T>(bits);
    return bits;
  }
};
struct OfDoubleMagnitudes {
  static double sign_product(double a, double b, double magnitude) {
    const std::uint64_t sign = (to_bits(a) ^ to_bits(b)) & std::uint64_t{1} << 63;
    return from_bits(to_bits(magnitude) | sign);
  }
};
template <class F>
struct HalfXorSign {
  static double apply(double a, double b) {
    const double magnitude = F::apply(__builtin_fabs(a), __builtin_fabs(b));
    return magnitude != magnitude ? magnitude : OfDoubleMagnitudes::sign_product(a, b, magnitude);
  }
};

// F on both halves of a 32-bit register.
template <class F>
struct Both {
  template <class... Pair>
  static std::uint32_t apply(Pair... x) {
    const auto low = F::apply(static_cast<std::uint16_t>(x)...);
    const auto high = F::apply(static_cast<std::uint16_t>(x >> 16)...);
    return low | std::uint32_t{high} << 16;
  }
};

// A comparison of two numbers given by their bits.
template <class T, class F, bool kFlush>
struct CompareHalf {
  static bool apply(std::uint16_t a, std::uint16_t b) {
    if constexpr (kFlush) return F::apply(Wide<T>::of(flushed_bits<T>(a)), Wide<T>::of(flushed_bits<T>(b)));
    return F::apply(Wide<T>::of(a), Wide<T>::of(b));
  }
};

}  // namespace warpgrade::isa::WARPGRADE_LANES
