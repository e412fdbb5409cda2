// Functors of cvt (PTX ISA 9.7.9.21).
#pragma once

#include "isa/functors/formats.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {

// A value narrower than the register that holds it: T's value in Register's lanes.
template <class T, class Register>
using In = Tag<typename T::value,
               std::conditional_t<std::is_signed_v<typename T::value>,
                                  std::make_signed_t<typename Register::storage>, typename Register::storage>,
               Register::type>;

// The type that a signature shows: T where T fills its register (an 8-bit T a 16-bit one), else Register's.
template <class T, class Register>
constexpr ptx::Type shown = sizeof(typename T::storage) == sizeof(typename Register::storage)
                                ? T::type
                                : Register::type;

template <class T>
struct Limits {
  static constexpr int bits = kBitsOf<T>;
  static constexpr bool is_signed = std::is_signed_v<T>;
  static constexpr T max =
      static_cast<T>(is_signed ? ~(~std::uint64_t{0} << (bits - 1)) : ~std::uint64_t{0} >> (64 - bits));
  static constexpr T min = is_signed ? static_cast<T>(-max - 1) : T{0};
};

template <class D>
struct ConvertInteger {
  template <class S>
  static D apply(S a) {
    return static_cast<D>(a);
  }
};
template <class D>
struct ConvertIntegerSaturated {
  template <class S>
  static D apply(S a) {
    // C++ compares a signed and an unsigned number as unsigned, so negative numbers are handled first.
    if constexpr (std::is_signed_v<S>) {
      if (a < 0) {
        if constexpr (!std::is_signed_v<D>)
          return 0;
        else
          return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(Limits<D>::min) ? Limits<D>::min
                                                                                          : static_cast<D>(a);
      }
    }
    return static_cast<std::uint64_t>(a) > static_cast<std::uint64_t>(Limits<D>::max) ? Limits<D>::max
                                                                                      : static_cast<D>(a);
  }
};

// The number that arithmetic uses for a value of type T: a float for narrow formats, else the value itself.
template <class T>
struct Wide {
  template <class V>
  static V of(V x) {
    return x;
  }
};
template <>
struct Wide<f16> {
  static float of(std::uint16_t x) { return half_to_float(x); }
};
template <>
struct Wide<bf16> {
  static float of(std::uint16_t x) { return brain_to_float(x); }
};

enum class Integral { nearest, zero, down, up };
template <Integral kMode>
static inline float to_integral(float x) {
  if constexpr (kMode == Integral::nearest) return __builtin_rintf(x);
  if constexpr (kMode == Integral::zero) return __builtin_truncf(x);
  if constexpr (kMode == Integral::down) return __builtin_floorf(x);
  return __builtin_ceilf(x);
}
template <Integral kMode>
static inline double to_integral(double x) {
  if constexpr (kMode == Integral::nearest) return __builtin_rint(x);
  if constexpr (kMode == Integral::zero) return __builtin_trunc(x);
  if constexpr (kMode == Integral::down) return __builtin_floor(x);
  return __builtin_ceil(x);
}

// A number out of range gives the nearest integer in range. NaN gives the sign bit alone where an integer of
// 64 bits or a double takes part, else 0.
template <class D, class S, Integral kMode, bool kFlush>
struct FloatToInteger {
  static typename D::value apply(typename S::value a) {
    using Value = typename D::value;
    const auto x = to_integral<kMode>(flushed<kFlush>(Wide<S>::of(a)));
    using Float = std::remove_const_t<decltype(x)>;
    constexpr Float low = static_cast<Float>(Limits<Value>::min);
    constexpr Float beyond = static_cast<Float>(static_cast<double>(Limits<Value>::max / 2 + 1) * 2.0);
    constexpr bool sign_alone = sizeof(Value) == 8 || std::is_same_v<S, f64>;
    constexpr auto not_a_number = static_cast<Value>(std::uint64_t{sign_alone} << (kBitsOf<Value> - 1));
    const bool fits = (x >= low) & (x < beyond);
    const auto converted = static_cast<Value>(fits ? x : Float{0});
    const Value limit = x < low ? Limits<Value>::min : (x >= beyond ? Limits<Value>::max : not_a_number);
    return fits ? converted : limit;
  }
};

template <class D>
struct FormatOf;
template <>
struct FormatOf<f16> {
  using type = Binary16;
};
template <>
struct FormatOf<bf16> {
  using type = Brain16;
};
template <>
struct FormatOf<f32> {
  using type = Binary32;
};
template <>
struct FormatOf<f64> {
  using type = Binary64;
};

template <class D>
static inline typename D::value as_value(std::uint64_t bits) {
  if constexpr (sizeof(typename D::value) == 2)
    return static_cast<std::uint16_t>(bits);
  else if constexpr (sizeof(typename D::value) == 4)
    return from_bits(static_cast<std::uint32_t>(bits));
  else
    return from_bits(bits);
}

template <class D, class S, Round kMode>
struct IntegerToFloat {
  static typename D::value apply(typename S::value a) {
    if constexpr (kMode == Round::nearest_even && sizeof(typename D::value) >= 4) {
      return static_cast<typename D::value>(a);
    } else {
      const bool negative = a < 0;
      const auto magnitude =
          negative ? std::uint64_t{0} - static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a);
      return as_value<D>(encode<typename FormatOf<D>::type, kMode>(negative, magnitude, 0));
    }
  }
};

// The NaN that a double's NaN becomes: a quiet one with its sign and upper digits.
template <class F>
static inline std::uint64_t narrowed_nan(double x) {
  const std::uint64_t bits = to_bits(x), fraction = bits & 0xfffffffffffff;
  const std::uint64_t exponent_and_quiet =
      ((F::largest >> F::mantissa) + 1) << F::mantissa | std::uint64_t{1} << (F::mantissa - 1);
  return bits >> 63 << F::sign_shift | exponent_and_quiet | fraction >> (52 - F::mantissa);
}

// .sat clamps before rounding, as every format holds 0 and 1 exactly. NaN becomes the format's own NaN,
// except from double, to double and from bf16 to f32: there the hardware only moves or widens, and keeps it.
// f16 ignores .ftz.
template <class D, class S, Round kMode, bool kFlush, bool kSaturate, bool kRelu = false,
          bool kFinite = false>
struct FloatToFloat {
  using Target = typename FormatOf<D>::type;

  static typename D::value apply(typename S::value a) {
    constexpr bool flushes = kFlush && std::is_same_v<S, f32> && !std::is_same_v<D, f16>;
    auto x = flushed<flushes>(Wide<S>::of(a));
    if constexpr (kSaturate) x = unit_range(x);
    if constexpr (kRelu) x = x <= 0 ? decltype(x){0} : x;
    return finish(x);
  }

 private:
  static constexpr bool keeps_nan = std::is_same_v<S, f64> || std::is_same_v<D, f64> ||
                                    std::is_same_v<D, S> ||
                                    (std::is_same_v<D, f32> && std::is_same_v<S, bf16>);
  template <class X>
  static typename D::value finish(X x) {
    if constexpr (std::is_same_v<D, f64>) {
      if constexpr (kFlush)
        return static_cast<double>(canonical(x));
      else
        return static_cast<double>(x);
    } else if constexpr (std::is_same_v<D, f32> && sizeof(X) == 4) {
      if constexpr (keeps_nan && !kFlush)
        return x;
      else
        return flushed<kFlush>(canonical(x));
    } else if constexpr (std::is_same_v<D, f32> && kMode == Round::nearest_even && !kFlush) {
      return static_cast<float>(x);
    } else if constexpr (sizeof(typename D::value) == 2 && sizeof(X) == 4 && kMode == Round::nearest_even &&
                         !kFinite) {
      return nearest<Target>(x);
    } else {
      return encoded(static_cast<double>(x));
    }
  }
  static typename D::value encoded(double x) {
    if constexpr (std::is_same_v<S, f64> && !kSaturate) {
      if (x != x) return as_value<D>(narrowed_nan<Target>(x));
    }
    return as_value<D>(encode < Target, kMode, kFinite, kFlush && std::is_same_v < D, f32 >> (x));
  }
};
// Same format: rounded to a whole number.
template <class T, Integral kMode, bool kFlush, bool kSaturate>
struct FloatToIntegral {
  static typename T::value apply(typename T::value a) {
    const auto x = to_integral<kMode>(flushed<kFlush>(Wide<T>::of(a)));
    if constexpr (kSaturate)
      return finish(unit_range(x));
    else
      return finish(x);
  }

 private:
  static typename T::value finish(float x) {
    if constexpr (std::is_same_v<T, f32>)
      return canonical(x);
    else
      return nearest<typename FormatOf<T>::type>(x);
  }
  static double finish(double x) { return x != x ? quiet(x) : x; }
};

// The bits of x in format F; .relu takes negative numbers and −0 for 0.
template <class F, Round kMode, bool kRelu, bool kFinite>
static inline std::uint32_t narrow(float x) {
  if constexpr (kRelu) x = x <= 0.0f ? 0.0f : x;
  constexpr bool sixteen_bits = std::is_same_v<F, Binary16> || std::is_same_v<F, Brain16>;
  if constexpr (sixteen_bits && kMode == Round::nearest_even && !kFinite) return nearest<F>(x);
  return static_cast<std::uint32_t>(encode<F, kMode, kFinite>(static_cast<double>(x)));
}

// d = {a in the upper half, b in the lower}
template <class F, Round kMode, bool kRelu, bool kFinite, int kBits>
struct PackTwo {
  static std::uint32_t apply(float a, float b) {
    return narrow<F, kMode, kRelu, kFinite>(a) << kBits | narrow<F, kMode, kRelu, kFinite>(b);
  }
};

}  // namespace warpgrade::isa::WARPGRADE_LANES
