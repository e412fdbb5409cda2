#include "arrays/number.hpp"

#include <algorithm>
#include <cmath>

namespace warpgrade::harness {
Number operator-(const Number& a) { return a * Number(-1); }

Number operator-(const Number& a, const Number& b) { return a + -b; }

Number operator/(const Number& a, const Number& b) {
  if (a.is_integer_ && b.is_integer_ && b.raw_.integer != 0) return Number(a.raw_.integer / b.raw_.integer);
  Number quotient = a;
  quotient.is_integer_ = quotient.is_whole_ = quotient.is_copy_ = false;
  quotient.raw_.value = a.raw_.value / b.raw_.value;
  // Relative errors add up: scale(a)/|a| + scale(b)/|b|, less the 1 that each has at least.
  const double magnitude = std::fabs(b.raw_.value);
  quotient.scale_ = a.scale_ / magnitude + std::fabs(quotient.raw_.value) * (b.scale_ / magnitude - 1);
  return quotient;
}

Number Number::function(const Number& a, double value, double derivative) {
  Number result = a;
  result.is_integer_ = result.is_whole_ = result.is_copy_ = false;
  result.raw_ = {value, 0};
  result.scale_ = std::fabs(value) + std::fabs(derivative) * a.scale_;
  return result;
}

Number abs(const Number& a) { return a < Number(0) ? -a : a; }

Number sqrt(const Number& a) {
  const double root = std::sqrt(a.value());
  return Number::function(a, root, root > 0 ? 0.5 / root : 0);
}

Number rsqrt(const Number& a) {
  const double root = 1 / std::sqrt(a.value());
  return Number::function(a, root, 0.5 * root / a.value());
}

Number exp(const Number& a) { return Number::function(a, std::exp(a.value()), std::exp(a.value())); }
Number log(const Number& a) { return Number::function(a, std::log(a.value()), 1 / a.value()); }
Number sin(const Number& a) { return Number::function(a, std::sin(a.value()), std::cos(a.value())); }
Number cos(const Number& a) { return Number::function(a, std::cos(a.value()), std::sin(a.value())); }

Number tanh(const Number& a) {
  const double value = std::tanh(a.value());
  return Number::function(a, value, 1 - value * value);
}

Number min(const Number& a, const Number& b) { return b < a ? b : a; }
Number max(const Number& a, const Number& b) { return a < b ? b : a; }

Number sum_of(std::span<const float> values) {
  if (values.empty()) return {};
  double value = 0, scale = 0;
  bool whole = true;
  for (const double each : values) {
    value += each;
    scale += std::fabs(each);
    whole &= is_whole(each);
  }
  Number sum = Number() + value;
  sum.scale_ = scale;
  sum.is_whole_ = whole;
  return sum;
}

}  // namespace warpgrade::harness
