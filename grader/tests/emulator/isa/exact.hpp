// Numbers without rounding error, for the reference: sums of floating-point numbers and their products as
// integers of 4480 bits, in units of 2^-2200. The least product of two doubles is 2^-2148, the largest below
// 2^2048.
#pragma once

#include <array>
#include <cstdint>

namespace warpgrade::isa::reference {

__extension__ using Wide = unsigned __int128;

enum class Mode { nearest, away, zero, down, up };

// A binary floating-point format. `infinite`: has infinities; without them, all ones is NaN.
struct Format {
  int mantissa;
  int exponent;
  std::uint64_t nan;
  bool infinite = true;
  int width() const { return mantissa + exponent + 1; }
  int bias() const { return (1 << (exponent - 1)) - 1; }
  std::uint64_t sign() const { return std::uint64_t{1} << (mantissa + exponent); }
  std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent) - 1) << mantissa; }
  std::uint64_t largest() const { return infinite ? infinity() - 1 : nan - 1; }
};
inline constexpr Format kF16{10, 5, 0x7fff}, kBf16{7, 8, 0x7fff}, kF32{23, 8, 0x7fffffff},
    kF64{52, 11, 0xfff8000000000000}, kTf32{10, 8, 0x3ffff}, kE4m3{3, 4, 0x7f, false}, kE5m2{2, 5, 0x7f};

// A decoded number: ±mantissa·2^exponent.
struct Number {
  bool negative = false, nan = false, infinite = false;
  std::uint64_t mantissa = 0;
  int exponent = 0;
  bool zero() const { return !nan && !infinite && mantissa == 0; }
  bool finite() const { return !nan && !infinite; }
};
inline Number decode(const Format& f, std::uint64_t bits) {
  Number number;
  number.negative = bits & f.sign();
  const std::uint64_t magnitude = bits & (f.sign() - 1);
  const std::uint64_t fraction = magnitude & ((std::uint64_t{1} << f.mantissa) - 1);
  const auto exponent = static_cast<int>(magnitude >> f.mantissa);
  number.nan = f.infinite ? magnitude > f.infinity() : magnitude == f.nan;
  number.infinite = f.infinite && magnitude == f.infinity();
  number.mantissa = exponent == 0 ? fraction : fraction | std::uint64_t{1} << f.mantissa;
  number.exponent = (exponent == 0 ? 1 : exponent) - f.bias() - f.mantissa;
  return number;
}

class Exact {
 public:
  static constexpr int kWords = 70, kUnit = 2200;

  // Adds ±m·2^exponent.
  void add(bool negative, Wide m, int exponent) {
    const int shift = exponent + kUnit;
    std::array<std::uint64_t, kWords> term{};
    for (int part = 0; part < 2; ++part) {
      const auto word = static_cast<std::uint64_t>(m >> 64 * part);
      const int position = shift + 64 * part;
      const auto at = static_cast<std::size_t>(position / 64);
      term[at] |= word << position % 64;
      if (position % 64 != 0) term[at + 1] |= word >> (64 - position % 64);
    }
    bool carry = negative;
    for (std::size_t i = 0; i < kWords; ++i) {
      const std::uint64_t addend = negative ? ~term[i] : term[i];
      const Wide sum = Wide{words_[i]} + addend + carry;
      words_[i] = static_cast<std::uint64_t>(sum);
      carry = sum >> 64 != 0;
    }
  }
  bool negative() const { return words_[kWords - 1] >> 63; }
  bool zero() const {
    for (const std::uint64_t word : words_) {
      if (word != 0) return false;
    }
    return true;
  }

  // The bits in a format. `flush`: numbers that stay below the smallest normal one when rounded to all digits
  // become zero. `finite`: the largest number instead of an infinity. Not for an exact zero, whose sign is
  // the caller's.
  std::uint64_t round(const Format& f, Mode mode, bool flush = false, bool finite = false) const {
    Exact magnitude = *this;
    if (negative()) magnitude = negated();
    const std::uint64_t sign = negative() ? f.sign() : 0;
    const int top = magnitude.highest_bit();
    const int smallest_normal = 1 - f.bias() + kUnit;
    const bool subnormal = top < smallest_normal;
    const int lowest = (subnormal && !flush ? smallest_normal : top) - f.mantissa;  // unit of the last digit
    std::uint64_t digits = magnitude.bits_from(lowest);
    const bool half = magnitude.bit(lowest - 1), more = magnitude.any_below(lowest - 1);
    bool up = false;
    if (mode == Mode::nearest) up = half && (more || (digits & 1));
    if (mode == Mode::away) up = half;
    if (mode == Mode::down) up = negative() && (half || more);
    if (mode == Mode::up) up = !negative() && (half || more);
    digits += up;
    int exponent = lowest + f.mantissa - kUnit;  // exponent of the digit before the point
    if (digits >> (f.mantissa + 1)) {
      digits >>= 1;
      ++exponent;
    }
    if (!(digits >> f.mantissa)) return sign | digits;  // subnormal or zero
    if (flush && exponent < 1 - f.bias()) return sign;
    const bool overflow = exponent > f.bias() + (f.infinite ? 0 : 1) ||
                          (static_cast<std::uint64_t>(exponent + f.bias()) << f.mantissa |
                           (digits & ((std::uint64_t{1} << f.mantissa) - 1))) > f.largest();
    if (overflow) {
      const bool stays =
          mode == Mode::zero || (mode == Mode::down && sign == 0) || (mode == Mode::up && sign != 0);
      return sign | (finite || stays ? f.largest() : (f.infinite ? f.infinity() : f.nan));
    }
    return sign | static_cast<std::uint64_t>(exponent + f.bias()) << f.mantissa |
           (digits & ((std::uint64_t{1} << f.mantissa) - 1));
  }

 private:
  Exact negated() const {
    Exact result;
    bool carry = true;
    for (std::size_t i = 0; i < kWords; ++i) {
      result.words_[i] = ~words_[i] + carry;
      carry = carry && result.words_[i] == 0;
    }
    return result;
  }
  int highest_bit() const {
    for (int i = kWords - 1; i >= 0; --i) {
      const std::uint64_t word = words_[static_cast<std::size_t>(i)];
      if (word != 0) return 64 * i + 63 - __builtin_clzll(word);
    }
    return -1;
  }
  bool bit(int position) const {
    return position >= 0 && (words_[static_cast<std::size_t>(position / 64)] >> position % 64 & 1);
  }
  bool any_below(int position) const {
    for (int i = 0; i < position / 64; ++i) {
      if (words_[static_cast<std::size_t>(i)] != 0) return true;
    }
    return position > 0 &&
           (words_[static_cast<std::size_t>(position / 64)] & ((std::uint64_t{1} << position % 64) - 1)) != 0;
  }
  std::uint64_t bits_from(int position) const {
    const auto at = static_cast<std::size_t>(position / 64);
    const int shift = position % 64;
    return words_[at] >> shift | (shift != 0 && at + 1 < kWords ? words_[at + 1] << (64 - shift) : 0);
  }

  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace warpgrade::isa::reference
