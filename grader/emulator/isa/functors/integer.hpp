// Functors of the integer instructions (PTX ISA 9.7.1). Signed arithmetic is done on unsigned
// values, so that it wraps.
#pragma once

#include "isa/functors/loop.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {

// Unsigned type in which T's arithmetic neither overflows nor is promoted to a signed one.
template <class T>
using wrapping = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
template <class T>
inline constexpr int kBitsOf = static_cast<int>(8 * sizeof(T));

// Type with twice the bits of T, of its signedness.
__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;
template <class T>
using doubled =
    std::conditional_t<std::is_signed_v<T>,
                       std::conditional_t<sizeof(T) == 2, std::int32_t,
                                          std::conditional_t<sizeof(T) == 4, std::int64_t, int128>>,
                       std::conditional_t<sizeof(T) == 2, std::uint32_t,
                                          std::conditional_t<sizeof(T) == 4, std::uint64_t, uint128>>>;

static inline std::int32_t saturate_s32(std::int64_t x) {
  x = x > INT32_MAX ? INT32_MAX : x;
  return static_cast<std::int32_t>(x < INT32_MIN ? INT32_MIN : x);
}
// Shifts by any count: from the width on, only copies of the sign are left, or zeros.
template <class T>
static inline T shift_left(T x, std::uint32_t n) {
  constexpr std::uint32_t width = kBitsOf<T>;
  return static_cast<T>(n < width ? static_cast<wrapping<T>>(static_cast<wrapping<T>>(x) << (n & (width - 1)))
                                  : 0);
}
template <class T>
static inline T shift_right(T x, std::uint32_t n) {
  constexpr std::uint32_t width = kBitsOf<T>;
  if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(x >> (n < width ? n : width - 1));
  } else {
    return static_cast<T>(n < width ? static_cast<T>(x >> (n & (width - 1))) : 0);
  }
}
// Ones in the low n bits.
template <class T>
static inline T low_ones(std::uint32_t n) {
  return static_cast<T>(~shift_left<T>(static_cast<T>(~T{0}), n));
}

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<wrapping<T>>(a) + static_cast<wrapping<T>>(b));
  }
};
struct Subtract {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<wrapping<T>>(a) - static_cast<wrapping<T>>(b));
  }
};
struct AddSaturated {
  static std::int32_t apply(std::int32_t a, std::int32_t b) { return saturate_s32(std::int64_t{a} + b); }
};
struct SubtractSaturated {
  static std::int32_t apply(std::int32_t a, std::int32_t b) { return saturate_s32(std::int64_t{a} - b); }
};
struct MultiplyLow {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<wrapping<T>>(a) * static_cast<wrapping<T>>(b));
  }
};
struct MultiplyWide {
  template <class T>
  static doubled<T> apply(T a, T b) {
    return static_cast<doubled<T>>(static_cast<doubled<T>>(a) * static_cast<doubled<T>>(b));
  }
};
struct MultiplyHigh {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(MultiplyWide::apply(a, b) >> kBitsOf<T>);
  }
};
struct MultiplyAddLow {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(MultiplyLow::apply(a, b), c);
  }
};
struct MultiplyAddHigh {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(MultiplyHigh::apply(a, b), c);
  }
};
struct MultiplyAddWide {
  template <class T>
  static doubled<T> apply(T a, T b, doubled<T> c) {
    return Add::apply(MultiplyWide::apply(a, b), c);
  }
};
struct MultiplyAddHighSaturated {
  static std::int32_t apply(std::int32_t a, std::int32_t b, std::int32_t c) {
    return saturate_s32(std::int64_t{MultiplyHigh::apply(a, b)} + c);
  }
};
// The 48-bit product of the low 24 bits.
template <class T>
static inline std::int64_t product24(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    return std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(a) << 8) >> 8} *
           (static_cast<std::int32_t>(static_cast<std::uint32_t>(b) << 8) >> 8);
  } else {
    return static_cast<std::int64_t>(std::uint64_t{a & 0xffffff} * (b & 0xffffff));
  }
}
struct Multiply24Low {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(product24(a, b));
  }
};
struct Multiply24High {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(product24(a, b) >> 16);
  }
};
struct MultiplyAdd24Low {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(Multiply24Low::apply(a, b), c);
  }
};
struct MultiplyAdd24High {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(Multiply24High::apply(a, b), c);
  }
};
struct MultiplyAdd24HighSaturated {
  static std::int32_t apply(std::int32_t a, std::int32_t b, std::int32_t c) {
    return saturate_s32(std::int64_t{Multiply24High::apply(a, b)} + c);
  }
};
struct SumOfAbsoluteDifference {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(c, a < b ? Subtract::apply(b, a) : Subtract::apply(a, b));
  }
};
// Division by zero does not trap: quotient and remainder are all ones, as an H200 has it (the manual leaves
// it open). The most negative number divided by −1 is itself.
struct Divide {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return Subtract::apply(T{0}, a);
    }
    return static_cast<T>(a / b);
  }
};
struct Remainder {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return static_cast<T>(a % b);
  }
};
struct Negate {
  template <class T>
  static T apply(T a) {
    return Subtract::apply(T{0}, a);
  }
};
struct Absolute {
  template <class T>
  static T apply(T a) {
    return a < 0 ? Negate::apply(a) : a;
  }
};
struct Minimum {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
};
struct Maximum {
  template <class T>
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
};
template <class F>
struct Relu {  // the result, but at least zero
  template <class T>
  static T apply(T a, T b) {
    return Maximum::apply(F::apply(a, b), T{0});
  }
};
// F on both 16-bit halves.
template <class F, class Half>
struct Halves {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) {
    const auto low = static_cast<std::uint16_t>(F::apply(static_cast<Half>(a), static_cast<Half>(b)));
    const auto high =
        static_cast<std::uint16_t>(F::apply(static_cast<Half>(a >> 16), static_cast<Half>(b >> 16)));
    return low | std::uint32_t{high} << 16;
  }
};

struct PopulationCount {
  template <class T>
  static std::uint32_t apply(T a) {
    return static_cast<std::uint32_t>(__builtin_popcountll(a));
  }
};
struct LeadingZeros {
  template <class T>
  static std::uint32_t apply(T a) {
    if (a == 0) return kBitsOf<T>;
    return static_cast<std::uint32_t>(__builtin_clzll(a) - (64 - kBitsOf<T>));
  }
};
// Position of the highest bit that differs from the sign; all ones if there is none.
struct FindBit {
  template <class T>
  static std::uint32_t apply(T a) {
    using Unsigned = std::make_unsigned_t<T>;
    const auto bits = static_cast<Unsigned>(a < 0 ? ~a : a);
    return kBitsOf<T> - 1 - LeadingZeros::apply(bits);
  }
};
struct FindBitShiftAmount {
  template <class T>
  static std::uint32_t apply(T a) {
    const std::uint32_t position = FindBit::apply(a);
    return position == UINT32_MAX ? position : kBitsOf<T> - 1 - position;
  }
};
// fns: the position of the |offset|-th set bit from `base` on, upwards or downwards; offset 0 asks for base
// itself.
struct FindNthSet {
  static std::uint32_t apply(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
    if (offset == INT32_MIN) return 0;  // has no absolute value; an H200 gives 0
    if (base > 31) return UINT32_MAX;
    if (offset == 0) return mask >> base & 1 ? base : UINT32_MAX;
    const int step = offset > 0 ? 1 : -1;
    std::int64_t left = offset > 0 ? std::int64_t{offset} : -std::int64_t{offset};
    for (int i = static_cast<int>(base); i >= 0 && i < 32; i += step) {
      if ((mask >> i & 1) && --left == 0) return static_cast<std::uint32_t>(i);
    }
    return UINT32_MAX;
  }
};
struct ReverseBits {
  template <class T>
  static T apply(T a) {
    T x = a;
    x = static_cast<T>((x >> 1 & static_cast<T>(0x5555555555555555)) |
                       (x & static_cast<T>(0x5555555555555555)) << 1);
    x = static_cast<T>((x >> 2 & static_cast<T>(0x3333333333333333)) |
                       (x & static_cast<T>(0x3333333333333333)) << 2);
    x = static_cast<T>((x >> 4 & static_cast<T>(0x0f0f0f0f0f0f0f0f)) |
                       (x & static_cast<T>(0x0f0f0f0f0f0f0f0f)) << 4);
    if constexpr (sizeof(T) == 8) return __builtin_bswap64(x);
    return static_cast<T>(__builtin_bswap32(static_cast<std::uint32_t>(x)));
  }
};
// bfe and bfi: positions and lengths are the low 8 bits of their operands, but all of them in the 64-bit
// forms. This is what an H200 does; the manual allows 0 to 255 only.
template <class T>
static inline std::uint32_t field_operand(std::uint32_t x) {
  return sizeof(T) == 4 ? x & 0xff : x;
}
struct ExtractField {
  template <class T>
  static T apply(T a, std::uint32_t position, std::uint32_t length) {
    const std::uint32_t count = field_operand<T>(length);
    const T field = shift_right<T>(a, field_operand<T>(position));
    if constexpr (std::is_signed_v<T>) {
      const std::uint32_t spare = count < kBitsOf<T> ? kBitsOf<T> - count : 0;
      return count == 0 ? T{0} : shift_right<T>(shift_left<T>(field, spare), spare);
    } else {
      return field & low_ones<T>(count);
    }
  }
};
struct InsertField {
  template <class T>
  static T apply(T from, T into, std::uint32_t position, std::uint32_t length) {
    const std::uint32_t first = field_operand<T>(position);
    const T field = shift_left<T>(low_ones<T>(field_operand<T>(length)), first);
    return (into & ~field) | (shift_left<T>(from, first) & field);
  }
};
template <bool kWrap>
struct ExtendFrom {  // szext: the low `bits` bits, extended
  template <class T>
  static T apply(T a, std::uint32_t bits) {
    const std::uint32_t count = kWrap ? bits & 31 : bits;
    return ExtractField::apply<T>(a, 0, count > 32 ? 32 : count);
  }
};
template <bool kWrap>
struct BitMask {  // bmsk
  static std::uint32_t apply(std::uint32_t position, std::uint32_t width) {
    if constexpr (kWrap) return shift_left(low_ones<std::uint32_t>(width & 31), position & 31);
    return shift_left(low_ones<std::uint32_t>(width), position);
  }
};

template <class A, class B, int kCount, int kFirst = 0>
struct DotProduct {  // dp4a, dp2a: A are the parts of a, B the bytes of b from kFirst on
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint32_t sum = c;
    for (int i = 0; i < kCount; ++i) {
      const auto left = static_cast<A>(a >> i * kBitsOf<A>);
      const auto right = static_cast<B>(b >> (i + kFirst) * 8);
      sum += static_cast<std::uint32_t>(static_cast<std::int32_t>(left) * static_cast<std::int32_t>(right));
    }
    return sum;
  }
};

}  // namespace warpgrade::isa::WARPGRADE_LANES
