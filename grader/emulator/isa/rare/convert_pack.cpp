// Rows of cvt that make or take apart pairs of narrow numbers.
#include "isa/lanes/convert_rows.hpp"
#include "isa/rare/loop.hpp"

namespace warpgrade::isa::rare {
namespace {

template <class F, bool kRelu>
struct PackFromHalves {
  static std::uint32_t apply(std::uint32_t pair) {
    return PackTwo<F, Round::nearest_even, kRelu, true, 8>::apply(half_to_float(pair >> 16),
                                                                  half_to_float(pair & 0xffff));
  }
};
template <float (*kDecode)(std::uint32_t), bool kRelu>
struct HalvesFromPair {
  static std::uint32_t half(std::uint32_t byte) {
    return narrow<Binary16, Round::nearest_even, kRelu, false>(kDecode(byte));
  }
  static std::uint32_t apply(std::uint16_t pair) { return half(pair >> 8) << 16 | half(pair & 0xff); }
};

template <Round kMode, bool kRelu, bool kFinite>
struct ToTensor32 {
  static std::uint32_t apply(float x) {
    if (x != x) return not_a_number(to_bits(x));
    return narrow<Tensor32, kMode, kRelu, kFinite>(x) << 13;
  }
  // .rna truncates a NaN like any number, which can give an infinity. .satfinite then takes the next smaller
  // number. The other modes return one NaN.
  static std::uint32_t not_a_number(std::uint32_t bits) {
    if constexpr (kMode != Round::nearest_away) return 0x7fffe000;
    return (bits & 0xffffe000) - (kFinite ? 0x2000 : 0);
  }
};

template <int kBits, bool kSigned>
static inline std::uint32_t clamped(std::int32_t x) {
  constexpr std::int32_t low = kSigned ? -(1 << (kBits - 1)) : 0;
  constexpr std::int32_t high = kSigned ? (1 << (kBits - 1)) - 1 : (1 << kBits) - 1;
  x = x < low ? low : (x > high ? high : x);
  return static_cast<std::uint32_t>(x) & ((1u << kBits) - 1);
}
// d = {a, b}, or {c's lower part, a, b}: what was packed before moves up.
template <int kBits, bool kSigned>
struct PackIntegers {
  static std::uint32_t apply(std::int32_t a, std::int32_t b) {
    return clamped<kBits, kSigned>(a) << kBits | clamped<kBits, kSigned>(b);
  }
  static std::uint32_t apply(std::int32_t a, std::int32_t b, std::uint32_t c) {
    return c << 2 * kBits | apply(a, b);
  }
};

#define PACK_TWO_CLAMPED(modifier, mode, to)                        \
  PACK_TWO_AS("cvt." #modifier ".relu", mode, to, true, false)      \
  PACK_TWO_AS("cvt." #modifier ".satfinite", mode, to, false, true) \
  PACK_TWO_AS("cvt." #modifier ".relu.satfinite", mode, to, true, true)
#define EIGHT_BITS(name, format)                                                                  \
  PACK_ROW("cvt.rn.satfinite." #name "x2.f32", b16, (f32, f32),                                   \
           PackTwo<format, Round::nearest_even, false, true, 8>)                                  \
  PACK_ROW("cvt.rn.satfinite.relu." #name "x2.f32", b16, (f32, f32),                              \
           PackTwo<format, Round::nearest_even, true, true, 8>)                                   \
  PACK_ROW("cvt.rn.satfinite." #name "x2.f16x2", b16, (f16x2), PackFromHalves<format, false>)     \
  PACK_ROW("cvt.rn.satfinite.relu." #name "x2.f16x2", b16, (f16x2), PackFromHalves<format, true>) \
  PACK_ROW("cvt.rn.f16x2." #name "x2", f16x2, (b16), HalvesFromPair<&name##_to_float, false>)     \
  PACK_ROW("cvt.rn.relu.f16x2." #name "x2", f16x2, (b16), HalvesFromPair<&name##_to_float, true>)
#define TENSOR(form, mode, relu, finite) PACK_ROW(form, b32, (f32), ToTensor32<Round::mode, relu, finite>)
#define PACK_INTEGERS(type, bits, is_signed)                            \
  functor_row<PackIntegers<bits, is_signed>, Signature<b32, s32, s32>>( \
      "cvt.pack.sat." #type ".s32", CounterClass::conversion, "9.7.9.22"),
#define PACK_INTEGERS_ONTO(type, bits, is_signed)                            \
  functor_row<PackIntegers<bits, is_signed>, Signature<b32, s32, s32, b32>>( \
      "cvt.pack.sat." #type ".s32.b32", CounterClass::conversion, "9.7.9.22"),

constexpr Operation kRows[] = {
#include "isa/rows/convert_pack.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(convert_pack_rows, kRows);
}  // namespace warpgrade::isa::rare
