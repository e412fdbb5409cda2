#include "arrays/number.hpp"

#include <algorithm>
#include <cmath>

namespace warpgrade::harness {
namespace {

// Two's complement arithmetic modulo 2^64, without the undefined overflow of signed types.
template <class Operation>
std::int64_t modular(std::int64_t a, std::int64_t b, Operation operation) {
  return static_cast<std::int64_t>(operation(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

double magnitude_limit(ElementType type) { return 1 / unit_roundoff(type); }

}  // namespace

Number::Number(const RawNumber& raw, bool is_integer)
    : raw_(raw),
      scale_(std::fabs(raw.value)),
      is_integer_(is_integer),
      is_whole_(is_integer || raw.value == std::trunc(raw.value)) {}

std::int64_t Number::integer() const {
  return is_integer_ ? raw_.integer : static_cast<std::int64_t>(raw_.value);
}

double Number::tolerance(ElementType type) const {
  if (!is_floating(type)) return 0;
  if (is_whole_ && scale_ <= magnitude_limit(type)) return 0;
  if (is_copy_) {
    std::byte bytes[8];
    store_element(type, bytes, raw_);
    if (load_element(type, bytes).value == raw_.value) return 0;
  }
  return rounding_tolerance(type, scale_);
}

Number operator+(const Number& a, const Number& b) {
  Number sum;
  sum.is_integer_ = a.is_integer_ && b.is_integer_;
  sum.is_whole_ = a.is_whole_ && b.is_whole_;
  sum.is_copy_ = false;
  sum.scale_ = a.scale_ + b.scale_;
  sum.raw_.integer = modular(a.raw_.integer, b.raw_.integer, [](auto x, auto y) { return x + y; });
  sum.raw_.value = sum.is_integer_ ? static_cast<double>(sum.raw_.integer) : a.raw_.value + b.raw_.value;
  return sum;
}

Number operator-(const Number& a) { return a * Number(-1); }

Number operator-(const Number& a, const Number& b) { return a + -b; }

Number operator*(const Number& a, const Number& b) {
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

double rounding_tolerance(ElementType type, double scale) {
  constexpr double factor = 32;
  return factor * unit_roundoff(type) * scale;
}

}  // namespace warpgrade::harness
