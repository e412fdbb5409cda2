#include "arrays/narrow_float.hpp"

#include <cmath>

namespace warpgrade::harness {
namespace {

struct Format {
  int fraction_bits;
  int bias;      // also the largest exponent of a finite number
  int smallest;  // exponent of the smallest normal number
};

constexpr Format half_format = {10, 15, -14};
constexpr Format bfloat16_format = {7, 127, -126};

std::uint16_t encode(double value, const Format& format) {
  const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
  const unsigned infinity = (2u * static_cast<unsigned>(format.bias) + 1) << format.fraction_bits;
  if (std::isnan(value)) return static_cast<std::uint16_t>(infinity | 1u << (format.fraction_bits - 1));
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return static_cast<std::uint16_t>(sign);
  int exponent = std::isinf(magnitude) ? format.bias + 1 : std::ilogb(magnitude);
  if (exponent > format.bias) return static_cast<std::uint16_t>(sign | infinity);
  if (exponent < format.smallest) exponent = format.smallest;
  // A multiple of the unit in the last place; nearbyint rounds ties to even. A carry goes into the exponent.
  const auto units =
      static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, format.fraction_bits - exponent)));
  const auto above = static_cast<unsigned>(exponent - format.smallest) << format.fraction_bits;
  const unsigned bits = above + units;
  return static_cast<std::uint16_t>(sign | (bits > infinity ? infinity : bits));
}

double decode(std::uint16_t bits, const Format& format) {
  const unsigned fraction = bits & ((1u << format.fraction_bits) - 1);
  const int field = (bits & 0x7fff) >> format.fraction_bits;
  const double sign = bits & 0x8000 ? -1.0 : 1.0;
  if (field == 2 * format.bias + 1) return fraction ? std::nan("") : sign * HUGE_VAL;
  if (field == 0) return sign * std::ldexp(fraction, format.smallest - format.fraction_bits);
  return sign *
         std::ldexp((1u << format.fraction_bits) + fraction, field - format.bias - format.fraction_bits);
}

}  // namespace

Float16::Float16(double value) : bits(encode(value, half_format)) {}
double Float16::value() const { return decode(bits, half_format); }
Bfloat16::Bfloat16(double value) : bits(encode(value, bfloat16_format)) {}
double Bfloat16::value() const { return decode(bits, bfloat16_format); }

}  // namespace warpgrade::harness
