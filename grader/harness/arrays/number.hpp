// The arithmetic of a lab's oracle: a value with the scale of the rounding errors that a kernel may make.
#pragma once
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "arrays/element_type.hpp"

namespace warpgrade::harness {

// `scale` is the sum of the magnitudes of the terms that the value was computed from, for example Σ|a·b| of a
// sum of products Σ a·b. An fp32 kernel that adds them in any order errs by a small multiple of 2^-24·scale
// (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1).
class Number {
 public:
  Number() = default;
  // Integer arithmetic has 64 bits, modulo 2^64.
  template <std::integral T>
  Number(T value) : Number(RawNumber{static_cast<double>(value), static_cast<std::int64_t>(value)}, true) {}
  Number(double value) : Number(RawNumber{value, 0}, false) {}
  Number(const RawNumber& raw, bool is_integer);

  double value() const { return raw_.value; }
  // A floating-point value is rounded towards 0, and to the nearest integer that there is; 0 for NaN.
  std::int64_t integer() const;
  double scale() const { return scale_; }
  // This value, computed from terms whose magnitudes have this sum.
  Number with_scale(double scale) const;
  const RawNumber& raw() const { return raw_; }
  bool is_integer() const { return is_integer_; }

  // The largest error of a result of type `type` that counts as right: 0 for integers, for copies, and for
  // sums and products of whole numbers whose scale is so small that every order of the operations is exact;
  // otherwise rounding_tolerance().
  double tolerance(ElementType type) const;

  friend Number operator+(const Number& a, const Number& b);
  friend Number operator-(const Number& a, const Number& b);
  friend Number operator*(const Number& a, const Number& b);
  friend Number operator/(const Number& a, const Number& b);  // quotient of two integers: as in C
  // A function f with value f(x) and derivative f'(x) at the value x of `a`.
  static Number function(const Number& a, double value, double derivative);
  friend Number sum_of(std::span<const float> values);
  Number& operator+=(const Number& other) { return *this = *this + other; }
  Number& operator-=(const Number& other) { return *this = *this - other; }
  Number& operator*=(const Number& other) { return *this = *this * other; }
  Number& operator/=(const Number& other) { return *this = *this / other; }

 private:
  RawNumber raw_;
  double scale_ = 0;
  bool is_integer_ = true;
  bool is_whole_ = true;  // computed from whole numbers by + - * only
  bool is_copy_ = true;   // no operation was applied
};

Number operator+(const Number& a, const Number& b);
Number operator-(const Number& a, const Number& b);
Number operator*(const Number& a, const Number& b);
Number operator/(const Number& a, const Number& b);
Number operator-(const Number& a);
inline bool operator==(const Number& a, const Number& b) {
  return a.is_integer() && b.is_integer() ? a.integer() == b.integer() : a.value() == b.value();
}
inline bool operator<(const Number& a, const Number& b) {
  return a.is_integer() && b.is_integer() ? a.integer() < b.integer() : a.value() < b.value();
}
inline bool operator>(const Number& a, const Number& b) { return b < a; }
inline bool operator<=(const Number& a, const Number& b) { return !(b < a); }
inline bool operator>=(const Number& a, const Number& b) { return !(a < b); }

Number abs(const Number& a);
Number sqrt(const Number& a);
Number rsqrt(const Number& a);
Number exp(const Number& a);
Number log(const Number& a);
Number sin(const Number& a);
Number cos(const Number& a);
Number tanh(const Number& a);
Number min(const Number& a, const Number& b);
Number max(const Number& a, const Number& b);
// What adding these to 0 one after the other gives, for long sums: without its tests for each addition.
Number sum_of(std::span<const float> values);

// --- inline, because the oracle of a lab calls these for each element --------------------------------------

// Two's complement arithmetic modulo 2^64, without the undefined overflow of signed types.
template <class Operation>
std::int64_t modular(std::int64_t a, std::int64_t b, Operation operation) {
  return static_cast<std::int64_t>(operation(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

// 32·u·scale with the type's unit roundoff u. For fp32 sums of zero-mean values this is about 7 times their
// error, in any order and with or without FMA, and a twentieth of the error with TF32 inputs.
inline double rounding_tolerance(ElementType type, double scale) { return 32 * unit_roundoff(type) * scale; }

// From 2^52 up a double has no fraction bits. To smaller magnitudes an addition of 2^52 rounds to a whole
// number, faster than std::trunc does where the processor's baseline has no instruction for it.
inline bool is_whole(double value) {
  const double magnitude = std::fabs(value);
  return magnitude >= 0x1p52 || (magnitude + 0x1p52) - 0x1p52 == magnitude;
}

inline Number::Number(const RawNumber& raw, bool is_integer)
    : raw_(raw),
      scale_(std::fabs(raw.value)),
      is_integer_(is_integer),
      is_whole_(is_integer || is_whole(raw.value)) {}

inline std::int64_t Number::integer() const {
  if (is_integer_) return raw_.integer;
  if (std::isnan(raw_.value)) return 0;
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  if (raw_.value >= 0x1p63) return std::numeric_limits<std::int64_t>::max();
  return raw_.value < -0x1p63 ? kLeast : static_cast<std::int64_t>(raw_.value);
}

inline Number Number::with_scale(double scale) const {
  Number number = *this;
  number.scale_ = scale;
  number.is_whole_ = number.is_copy_ = false;
  return number;
}

inline double Number::tolerance(ElementType type) const {
  if (!is_floating(type)) return 0;
  if (is_whole_ && scale_ <= 1 / unit_roundoff(type)) return 0;
  if (is_copy_) {
    std::byte bytes[8];
    store_element(type, bytes, raw_);
    if (load_element(type, bytes).value == raw_.value) return 0;
  }
  return rounding_tolerance(type, scale_);
}

inline Number operator+(const Number& a, const Number& b) {
  Number sum;
  sum.is_integer_ = a.is_integer_ && b.is_integer_;
  sum.is_whole_ = a.is_whole_ && b.is_whole_;
  sum.is_copy_ = false;
  sum.scale_ = a.scale_ + b.scale_;
  sum.raw_.integer = modular(a.raw_.integer, b.raw_.integer, [](auto x, auto y) { return x + y; });
  sum.raw_.value = sum.is_integer_ ? static_cast<double>(sum.raw_.integer) : a.raw_.value + b.raw_.value;
  return sum;
}

inline Number operator*(const Number& a, const Number& b) {
  Number product;
  product.is_integer_ = a.is_integer_ && b.is_integer_;
  product.is_whole_ = a.is_whole_ && b.is_whole_;
  product.is_copy_ = false;
  product.scale_ = a.scale_ * b.scale_;
  product.raw_.integer = modular(a.raw_.integer, b.raw_.integer, [](auto x, auto y) { return x * y; });
  product.raw_.value =
      product.is_integer_ ? static_cast<double>(product.raw_.integer) : a.raw_.value * b.raw_.value;
  return product;
}

}  // namespace warpgrade::harness
