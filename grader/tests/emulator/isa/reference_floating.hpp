// Reference of the floating-point forms, f16 to f64: exact sums and products rounded once; division and roots
// from the processor's scalar instructions in its own rounding modes; approximations from the C library.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstring>
#include <optional>

#include "reference.hpp"

namespace warpgrade::isa::reference {

inline std::optional<Format> format_of(const std::string& type) {
  if (type == "f16" || type == "f16x2") return kF16;
  if (type == "bf16" || type == "bf16x2") return kBf16;
  if (type == "f32" || type == "f32x2") return kF32;
  if (type == "f64") return kF64;
  return std::nullopt;
}
inline Mode mode_of(const Form& form) {
  if (form.has("rz")) return Mode::zero;
  if (form.has("rm")) return Mode::down;
  if (form.has("rp")) return Mode::up;
  return Mode::nearest;
}

inline double to_double(const Format& f, std::uint64_t bits) {
  const Number n = decode(f, bits);
  if (n.nan) return std::nan("");
  const double magnitude = n.infinite ? HUGE_VAL : std::ldexp(static_cast<double>(n.mantissa), n.exponent);
  return n.negative ? -magnitude : magnitude;
}
inline std::uint64_t flush(const Format& f, std::uint64_t bits) {
  const std::uint64_t magnitude = bits & (f.sign() - 1);
  return magnitude < (std::uint64_t{1} << f.mantissa) ? bits & f.sign() : bits;
}
inline std::uint64_t clamp_unit(const Format& f, std::uint64_t bits) {
  const Number n = decode(f, bits);
  if (n.nan || n.negative || n.zero()) return 0;
  const std::uint64_t one = static_cast<std::uint64_t>(f.bias()) << f.mantissa;
  return std::min(bits, one);
}
// The NaN that an operation returns: the format's own; in f64 an operand's, made quiet. `order`: which
// operand's is preferred.
inline std::uint64_t nan_result(const Format& f, const std::vector<std::uint64_t>& x,
                                const std::vector<int>& order) {
  if (f.width() < 64) return f.nan;
  for (const int i : order) {
    const std::uint64_t bits = x[static_cast<std::size_t>(i)];
    if (decode(f, bits).nan) return bits | std::uint64_t{1} << 51;
  }
  return f.nan;
}

// a·b + c; `b` and `c` may be absent.
inline std::uint64_t sum_of_product(const Format& f, Mode mode, bool flushes, std::uint64_t a,
                                    std::optional<std::uint64_t> b, std::optional<std::uint64_t> c,
                                    const std::vector<int>& order) {
  std::vector<std::uint64_t> all = {a};
  if (b) all.push_back(*b);
  if (c) all.push_back(*c);
  const Number x = decode(f, a), y = b ? decode(f, *b) : Number{false, false, false, 1, 0},
               z = c ? decode(f, *c) : Number{};
  const bool product_negative = x.negative != y.negative;
  const bool product_infinite = x.infinite || y.infinite;
  const bool invalid = (x.infinite && y.zero()) || (y.infinite && x.zero()) ||
                       (c && product_infinite && z.infinite && product_negative != z.negative);
  if (x.nan || y.nan || z.nan || invalid) return nan_result(f, all, order);
  if (product_infinite) return f.infinity() | (product_negative ? f.sign() : 0);
  if (z.infinite) return f.infinity() | (z.negative ? f.sign() : 0);
  Exact sum;
  sum.add(product_negative, Wide{x.mantissa} * y.mantissa, x.exponent + y.exponent);
  if (c) sum.add(z.negative, z.mantissa, z.exponent);
  if (!sum.zero()) return sum.round(f, mode, flushes);
  const bool product_zero = x.zero() || y.zero();
  bool negative = product_negative;
  if (c && !(product_zero && z.zero() && product_negative == z.negative)) negative = mode == Mode::down;
  return negative ? f.sign() : 0;
}

inline int c_mode(Mode mode) {
  if (mode == Mode::zero) return FE_TOWARDZERO;
  if (mode == Mode::down) return FE_DOWNWARD;
  return mode == Mode::up ? FE_UPWARD : FE_TONEAREST;
}
// One operation of the processor in a rounding mode. `scale`: a power of two on the first operand.
template <class T>
T by_processor(const std::string& op, Mode mode, T first, T second, T scale = 1) {
  volatile T a = first * scale, b = second, result = 0;
  const int before = std::fegetround();
  std::fesetround(c_mode(mode));
  if (op == "div") result = a / b;
  if (op == "rcp") result = scale / b;
  if (op == "sqrt") result = std::sqrt(a);
  std::fesetround(before);
  return result;
}
template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
std::uint64_t to_bits(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
inline std::uint64_t divided(const Form& form, const Format& f, std::uint64_t a, std::uint64_t b) {
  const Mode mode = mode_of(form);
  if (f.width() == 64) {
    const double result = by_processor(form.opcode, mode, from_bits<double>(a),
                                       from_bits<double>(form.opcode == "div" ? b : a));
    return result != result ? nan_result(f, {a, b}, form.opcode == "div" ? std::vector{0, 1} : std::vector{0})
                            : to_bits(result);
  }
  const float x = from_bits<float>(a), y = from_bits<float>(form.opcode == "div" ? b : a);
  const float result = by_processor(form.opcode, mode, x, y);
  if (result != result) return f.nan;
  if (form.has("ftz") && form.opcode != "sqrt" && std::fabs(result) <= 0x1p-126f) {
    // Only a result with all digits shows whether it is tiny: the same result with a larger exponent.
    const float scaled = by_processor(form.opcode, mode, x, y, 0x1p24f);
    if (std::fabs(scaled) < 0x1p-102f) return to_bits(std::copysign(0.0f, result));
  }
  return to_bits(result);
}

inline std::uint64_t extremum(const Form& form, const Format& f, std::uint64_t a, std::uint64_t b) {
  const bool a_nan = decode(f, a).nan, b_nan = decode(f, b).nan;
  if ((a_nan && b_nan) || (form.has("NaN") && (a_nan || b_nan))) return nan_result(f, {a, b}, {1, 0});
  if (a_nan) return b;
  if (b_nan) return a;
  const auto key = [&](std::uint64_t x) { return x & f.sign() ? ~x & (2 * f.sign() - 1) : x | f.sign(); };
  return (key(a) < key(b)) == (form.opcode == "min") ? a : b;
}
inline std::uint64_t extremum_with_modifiers(const Form& form, const Format& f,
                                             std::vector<std::uint64_t> x) {
  const std::uint64_t sign = x[0] ^ x[1];
  if (form.has("abs")) {
    for (auto& bits : x) bits &= f.sign() - 1;
  }
  std::uint64_t result = extremum(form, f, x[0], x[1]);
  if (x.size() == 3) result = extremum(form, f, result, x[2]);
  if (decode(f, result).nan) return f.width() == 64 ? result : f.nan;
  if (form.has("xorsign")) result |= sign & f.sign();
  return result;
}

// A form for one number: bits in, bits out. Empty for any other opcode.
using Scalar = std::function<std::uint64_t(const std::vector<std::uint64_t>&)>;
inline Scalar exact_operation(const Form& form, const Format& f) {
  const std::string& op = form.opcode;
  const bool ftz = form.has("ftz");
  const Mode mode = mode_of(form);
  const auto minus = [f](std::uint64_t bits) { return decode(f, bits).nan ? bits : bits ^ f.sign(); };
  if (op == "add") return [=](const auto& x) { return sum_of_product(f, mode, ftz, x[0], {}, x[1], {1, 0}); };
  if (op == "sub")
    return [=](const auto& x) { return sum_of_product(f, mode, ftz, x[0], {}, minus(x[1]), {1, 0}); };
  if (op == "mul") return [=](const auto& x) { return sum_of_product(f, mode, ftz, x[0], x[1], {}, {1, 0}); };
  if (op == "fma" || op == "mad")
    return [=](const auto& x) { return sum_of_product(f, mode, ftz, x[0], x[1], x[2], {1, 2, 0}); };
  if ((op == "div" || op == "rcp" || op == "sqrt") && !form.has("approx") && !form.has("full")) {
    return [=](const auto& x) { return divided(form, f, x[0], x.size() > 1 ? x[1] : 0); };
  }
  if (op == "min" || op == "max") return [=](const auto& x) { return extremum_with_modifiers(form, f, x); };
  if (op == "neg" || op == "abs") {
    return [=](const auto& x) {
      if (decode(f, x[0]).nan) return nan_result(f, x, {0});
      return op == "neg" ? x[0] ^ f.sign() : x[0] & (f.sign() - 1);
    };
  }
  if (op == "copysign") return [=](const auto& x) { return (x[0] & f.sign()) | (x[1] & (f.sign() - 1)); };
  return {};
}
inline std::uint64_t with_modifiers(const Form& form, const Format& f, const Scalar& scalar,
                                    std::vector<std::uint64_t> x) {
  if (form.has("ftz")) {
    for (auto& bits : x) bits = flush(f, bits);
  }
  std::uint64_t result = scalar(x);
  if (form.has("ftz")) result = flush(f, result);
  if (form.has("sat")) result = clamp_unit(f, result);
  if (form.has("relu") && !decode(f, result).nan && (result & f.sign())) result = 0;
  return result;
}
inline std::size_t sources(const Form& form) {
  if (form.opcode == "fma" || form.opcode == "mad" || !form.pattern.empty()) return 3;
  static const std::vector<std::string> unary = {"neg", "abs", "rcp", "sqrt", "rsqrt",
                                                 "sin", "cos", "lg2", "ex2",  "tanh"};
  return std::find(unary.begin(), unary.end(), form.opcode) != unary.end() ? 1 : 2;
}

// The approximate functions in double.
inline std::function<double(double, double)> library_function(const Form& form) {
  const std::string& op = form.opcode;
  if (op == "rcp") return [](double x, double) { return 1.0 / x; };
  if (op == "sqrt") return [](double x, double) { return std::sqrt(x); };
  if (op == "rsqrt") return [](double x, double) { return 1.0 / std::sqrt(x); };
  if (op == "sin") return [](double x, double) { return std::sin(x); };
  if (op == "cos") return [](double x, double) { return std::cos(x); };
  if (op == "lg2") return [](double x, double) { return std::log2(x); };
  if (op == "ex2") return [](double x, double) { return std::exp2(x); };
  if (op == "tanh") return [](double x, double) { return std::tanh(x); };
  if (op == "div" && form.has("full")) return [](double x, double y) { return x / y; };
  if (op == "div") {
    return [](double x, double y) {  // the manual: for a finite divisor beyond 2^126, 0; NaN if x is infinite
      if (std::isinf(y) || std::fabs(y) <= 0x1p126 || y != y) return x / y;
      return std::isfinite(x) ? std::copysign(0.0, x) * std::copysign(1.0, y) : std::nan("");
    };
  }
  return {};
}
inline std::uint64_t rounded(const Format& f, double x, Mode mode, bool flushes) {
  if (x != x) return f.nan;
  if (std::isinf(x)) return f.infinity() | (x < 0 ? f.sign() : 0);
  if (x == 0) return std::signbit(x) ? f.sign() : 0;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(x), &exponent);
  Exact exact;
  exact.add(x < 0, static_cast<Wide>(std::ldexp(fraction, 53)), exponent - 53);
  return exact.round(f, mode, flushes);
}
inline Reference approximation(const Form& form) {
  const auto function = library_function(form);
  if (!function || !(form.has("approx") || form.has("full"))) return {};
  const std::string type = form.types[0];
  if (type == "f64") return {};  // see upper_halves
  const Format f = *format_of(type);
  const bool pair = type.ends_with("x2"), ftz = form.has("ftz");
  return [=](const Lane& lane) {
    Answer result;
    for (int half = 0; half < (pair ? 2 : 1); ++half) {
      auto a = static_cast<std::uint64_t>(lane.in[1] >> 16 * half),
           b = static_cast<std::uint64_t>(lane.in[2]);
      if (pair || f.width() == 16) a &= 0xffff;
      if (ftz) {
        a = flush(f, a);
        b = flush(f, b);
      }
      const Mode mode = f.width() == 16 ? Mode::zero : Mode::nearest;
      result.out[0] |= Raw{rounded(f, function(to_double(f, a), to_double(f, b)), mode, ftz)} << 16 * half;
    }
    result.units = 1;
    if (form.opcode == "sin" || form.opcode == "cos") {
      // Of large angles only the range is checked: the manual gives bounds up to 2π and up to 100π.
      const double x = std::fabs(to_double(f, static_cast<std::uint64_t>(lane.in[1])));
      const double turns = x / (2 * std::acos(-1.0));
      result.absolute = turns > 50 ? 2.0 : std::exp2(turns > 1 ? -14.7 : -20.5);
    }
    return result;
  };
}
// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: 20 bits or so of the upper half; rsqrt.approx.f64: nearly
// exact.
inline Reference upper_halves(const Form& form) {
  const auto function = library_function(form);
  if (!function || !form.has("approx") || form.types[0] != "f64") return {};
  const bool upper = form.has("ftz");
  return [=](const Lane& lane) {
    auto bits = static_cast<std::uint64_t>(lane.in[1]);
    if (upper) bits = flush(kF64, bits >> 32 << 32);
    const double x = from_bits<double>(bits), y = function(x, 0);
    Answer result = answer(flush(kF64, to_bits(y)) >> (upper ? 32 : 0) << (upper ? 32 : 0));
    if (!upper) result.out[0] = to_bits(y);
    result.units = 1;
    if (upper && y != y) result = answer(0x7fffffff00000000);
    if (!upper && y != y) result = answer(nan_result(kF64, {bits}, {0}));
    return result;
  };
}

inline Reference testp(const Form& form) {
  if (form.opcode != "testp") return {};
  const Format f = *format_of(form.types[0]);
  return [=](const Lane& lane) {
    const double x = f.width() == 64
                         ? from_bits<double>(static_cast<std::uint64_t>(lane.in[1]))
                         : static_cast<double>(from_bits<float>(static_cast<std::uint64_t>(lane.in[1])));
    const int kind = f.width() == 64 ? std::fpclassify(x) : std::fpclassify(static_cast<float>(x));
    if (form.has("finite")) return answer(std::isfinite(x));
    if (form.has("infinite")) return answer(kind == FP_INFINITE);
    if (form.has("number")) return answer(kind != FP_NAN);
    if (form.has("notanumber")) return answer(kind == FP_NAN);
    if (form.has("normal")) return answer(kind == FP_NORMAL || kind == FP_ZERO);
    return answer(kind == FP_SUBNORMAL);
  };
}

// f32 of which all operands but the last are in a narrower format.
inline Reference mixed(const Form& form, const Format& wide, const Format& narrow, const Scalar& scalar) {
  return [=](const Lane& lane) {
    std::vector<std::uint64_t> x;
    for (std::size_t i = 1; i <= sources(form); ++i) {
      const auto bits = static_cast<std::uint64_t>(lane.in[i]);
      const bool is_last = i == sources(form);
      const auto widened = [&] { return static_cast<float>(to_double(narrow, bits & 0xffff)); };
      x.push_back(is_last ? bits & 0xffffffff : to_bits(widened()));
    }
    return answer(Raw{with_modifiers(form, wide, scalar, x)});
  };
}

inline Reference floating_reference(const Form& form) {
  const auto format = format_of(form.types[0]);
  if (!format) return {};
  if (auto found = testp(form)) return found;
  if (auto found = upper_halves(form)) return found;
  if (auto found = approximation(form)) return found;
  const Scalar scalar = exact_operation(form, *format);
  if (!scalar) return {};
  if (form.types.size() > 1) return mixed(form, *format, *format_of(form.types[1]), scalar);
  const bool pair = form.types[0].ends_with("x2");
  const int width = format->width();
  return [=](const Lane& lane) {
    Raw result = 0;
    for (int half = 0; half < (pair ? 2 : 1); ++half) {
      std::vector<std::uint64_t> x;
      for (std::size_t i = 1; i <= sources(form); ++i) {
        const Raw bits = lane.in[i] >> width * half;
        x.push_back(static_cast<std::uint64_t>(bits & ((Raw{1} << width) - 1)));
      }
      result |= Raw{with_modifiers(form, *format, scalar, x)} << width * half;
    }
    return answer(result);
  };
}

}  // namespace warpgrade::isa::reference
