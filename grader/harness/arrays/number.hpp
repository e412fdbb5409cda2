// The arithmetic of a lab's oracle: a value with the scale of the rounding errors that a kernel may make.
#pragma once
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "arrays/element_type.hpp"

namespace warpgrade::harness {

// `scale` is the sum of the magnitudes of the terms that the value was computed from, for example Σ|a·b| of a
// sum of products Σ a·b. An fp32 kernel that adds them in any order errs by a small multiple of 2^-24·scale
// (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1).
class Number {
 public:
  Number() = default;
  // An integer is computed with in 64 bits, modulo 2^64.
  template <std::integral T>
  Number(T value) : Number(RawNumber{static_cast<double>(value), static_cast<std::int64_t>(value)}, true) {}
  Number(double value) : Number(RawNumber{value, 0}, false) {}
  Number(const RawNumber& raw, bool is_integer);

  double value() const { return raw_.value; }
  std::int64_t integer() const;  // rounds a floating-point value towards 0
  double scale() const { return scale_; }
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
  Number& operator+=(const Number& other) { return *this = *this + other; }
  Number& operator-=(const Number& other) { return *this = *this - other; }
  Number& operator*=(const Number& other) { return *this = *this * other; }
  Number& operator/=(const Number& other) { return *this = *this / other; }

 private:
  RawNumber raw_;
  double scale_ = 0;
  bool is_integer_ = true;
  bool is_whole_ = true;  // all that it was computed from are whole numbers, by + - * only
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

// 32·u·scale with the type's unit roundoff u. For fp32 sums of zero-mean values this is about 7 times their
// error, in any order and with or without FMA, and a twentieth of the error with TF32 inputs.
double rounding_tolerance(ElementType type, double scale);

}  // namespace warpgrade::harness
