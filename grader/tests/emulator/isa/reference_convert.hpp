// Reference of cvt: numbers taken apart into integer mantissas and exponents, and rounded once.
#pragma once

#include "isa/operands.hpp"
#include "reference_floating.hpp"

namespace warpgrade::isa::reference {

inline std::optional<Format> narrow_format(const std::string& type) {
  if (type.starts_with("e4m3")) return kE4m3;
  if (type.starts_with("e5m2")) return kE5m2;
  if (type == "tf32") return kTf32;
  return format_of(type);
}

// The integer next to ±m·2^e in a direction, kept within ±2^100.
inline Integer whole(const Number& n, Mode mode) {
  if (n.infinite || n.exponent > 64)
    return n.mantissa == 0 && !n.infinite ? 0 : (n.negative ? -(Integer{1} << 100) : Integer{1} << 100);
  Integer magnitude = n.mantissa;
  if (n.exponent >= 0) {
    magnitude <<= n.exponent;
  } else {
    const int drop = std::min(-n.exponent, 100);
    const Integer rest = magnitude & ((Integer{1} << drop) - 1), half = Integer{1} << (drop - 1);
    magnitude >>= drop;
    const bool up = (mode == Mode::nearest && (rest > half || (rest == half && (magnitude & 1)))) ||
                    (mode == Mode::down && n.negative && rest != 0) ||
                    (mode == Mode::up && !n.negative && rest != 0);
    magnitude += up;
  }
  return n.negative ? -magnitude : magnitude;
}
inline Mode integral_mode(const Form& form) {
  if (form.has("rzi")) return Mode::zero;
  if (form.has("rmi")) return Mode::down;
  return form.has("rpi") ? Mode::up : Mode::nearest;
}
inline bool rounds_to_whole(const Form& form) {
  return form.has("rni") || form.has("rzi") || form.has("rmi") || form.has("rpi");
}

inline std::uint64_t encode(const Form& form, const Format& to, Number n, bool flushes) {
  const std::uint64_t sign = n.negative ? to.sign() : 0;
  if (n.infinite)
    return sign | (form.has("satfinite") ? to.largest() : (to.infinite ? to.infinity() : to.nan));
  if (n.mantissa == 0) return sign;
  Exact exact;
  exact.add(n.negative, n.mantissa, n.exponent);
  return exact.round(to, form.has("rna") ? Mode::away : mode_of(form), flushes, form.has("satfinite"));
}

// NaN through a conversion of formats.
inline std::uint64_t converted_nan(const Form& form, const std::string& from, const Format& source,
                                   const std::string& to, const Format& target, std::uint64_t bits) {
  const bool ftz = form.has("ftz");
  if (from == to && target.width() >= 32 && !rounds_to_whole(form)) return ftz ? target.nan : bits;  // a move
  if (from == "bf16" && to == "f32" && !ftz) return bits << 16;
  if (to == "f64" || from == "f64") {
    if (to == "f64" && ftz) return 0x7fffffffe0000000;  // f32's NaN, widened
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << source.mantissa) - 1);
    const int shift = target.mantissa - source.mantissa;
    const std::uint64_t kept = shift >= 0 ? fraction << shift : fraction >> -shift;
    return (bits & source.sign() ? target.sign() : 0) | target.infinity() | kept |
           std::uint64_t{1} << (target.mantissa - 1);
  }
  return target.nan;
}
inline std::uint64_t float_to_float(const Form& form, const std::string& from, const std::string& to,
                                    std::uint64_t bits) {
  const Format source = *narrow_format(from), target = *narrow_format(to);
  if (form.has("ftz") && from == "f32" && to != "f16") bits = flush(source, bits);
  Number n = decode(source, bits);
  if (form.has("sat")) {
    const std::uint64_t clamped = clamp_unit(source, bits);
    n = decode(source, clamped);
  } else if (n.nan) {
    return converted_nan(form, from, source, to, target, bits);
  }
  if (form.has("relu") && n.negative) n = Number{};
  if (rounds_to_whole(form) && n.finite() && n.exponent < 0) {
    const Integer value = whole(n, integral_mode(form));
    n.mantissa = static_cast<std::uint64_t>(value < 0 ? -value : value);
    n.exponent = 0;
  }
  return encode(form, target, n, form.has("ftz") && to == "f32");
}

inline Reference convert_integers(const Form& form, const Operation& row) {
  const std::string to = form.types[0], from = form.types[1];
  const int register_bits = 8 * lane_bytes(row.operands[0]);
  return [=](const Lane& lane) {
    Integer value = to_integer(from, lane.in[1]);
    if (form.has("sat")) value = clamp(to, value);
    return answer(from_integer(register_bits, to_integer(to, from_integer(bits_of(to), value))));
  };
}
inline Reference convert_to_integer(const Form& form, const Operation& row) {
  const std::string to = form.types[0], from = form.types[1];
  const Format source = *format_of(from);
  const int register_bits = 8 * lane_bytes(row.operands[0]);
  return [=](const Lane& lane) {
    auto bits = static_cast<std::uint64_t>(lane.in[1]);
    if (form.has("ftz")) bits = flush(source, bits);
    const Number n = decode(source, bits);
    Integer value = clamp(to, whole(n, integral_mode(form)));
    if (n.nan) value = from == "f64" || bits_of(to) == 64 ? Integer{1} << (bits_of(to) - 1) : 0;
    return answer(from_integer(register_bits, to_integer(to, from_integer(bits_of(to), value))));
  };
}
inline Reference convert_from_integer(const Form& form) {
  const std::string to = form.types[0], from = form.types[1];
  return [=](const Lane& lane) {
    const Integer value = to_integer(from, lane.in[1]);
    Number n;
    n.negative = value < 0;
    n.mantissa = static_cast<std::uint64_t>(value < 0 ? -value : value);
    return answer(encode(form, *format_of(to), n, false));
  };
}
inline Reference convert_tensor(const Form& form) {
  return [=](const Lane& lane) {
    const auto bits = static_cast<std::uint64_t>(lane.in[1]);
    if (decode(kF32, bits).nan) {
      if (!form.has("rna")) return answer(0x7fffe000);
      return answer((bits & 0xffffe000) - (form.has("satfinite") ? 0x2000 : 0));
    }
    return answer(float_to_float(form, "f32", "tf32", bits) << 13);
  };
}
// Two numbers to or from one register, the first operand above.
inline Reference convert_pairs(const Form& form) {
  const std::string to = form.types[0], from = form.types[1];
  const auto single = [](const std::string& type) { return type.substr(0, type.size() - 2); };
  const int to_bits = narrow_format(to)->width();
  const bool from_pair = from.ends_with("x2");
  const std::string from_one = from_pair ? single(from) : from;
  const int from_bits = narrow_format(from)->width();
  return [=](const Lane& lane) {
    Raw result = 0;
    for (int half = 0; half < 2; ++half) {
      Raw bits = from_pair ? lane.in[1] >> from_bits * half : lane.in[half == 0 ? 2 : 1];
      bits &= (Raw{1} << from_bits) - 1;
      result |= Raw{float_to_float(form, from_one, single(to), static_cast<std::uint64_t>(bits))}
                << to_bits * half;
    }
    return answer(result);
  };
}
inline Reference pack_integers(const Form& form) {
  const std::string to = form.types[0];
  const int bits = bits_of(to);
  return [=](const Lane& lane) {
    Raw packed = 0;
    for (const int i : {1, 2}) {
      packed = packed << bits |
               from_integer(bits, clamp(to, to_integer("s32", lane.in[static_cast<std::size_t>(i)])));
    }
    const Raw above = form.types.size() == 3 ? lane.in[3] << 2 * bits : 0;
    return answer((packed | above) & 0xffffffff);
  };
}

inline Reference convert_reference(const Form& form, const Operation& row) {
  if (form.opcode != "cvt") return {};
  if (form.has("pack")) return pack_integers(form);
  const std::string to = form.types[0], from = form.types[1];
  if (to == "tf32") return convert_tensor(form);
  if (to.ends_with("x2")) return convert_pairs(form);
  const bool to_float = format_of(to).has_value(), from_float = format_of(from).has_value();
  if (!to_float && !from_float) return convert_integers(form, row);
  if (!to_float) return convert_to_integer(form, row);
  if (!from_float) return convert_from_integer(form);
  return [=](const Lane& lane) {
    return answer(float_to_float(form, from, to, static_cast<std::uint64_t>(lane.in[1])));
  };
}

}  // namespace warpgrade::isa::reference
