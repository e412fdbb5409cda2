// Rows of the SIMD video instructions: two 16-bit or four 8-bit numbers in a register.
#include "isa/functors/integer.hpp"
#include "isa/rare/loop.hpp"

namespace warpgrade::isa::rare {
namespace {

struct VideoAdd {
  static std::int32_t apply(std::int32_t a, std::int32_t b) { return a + b; }
};
struct VideoSubtract {
  static std::int32_t apply(std::int32_t a, std::int32_t b) { return a - b; }
};
struct VideoAverage {  // rounded away from zero
  static std::int32_t apply(std::int32_t a, std::int32_t b) { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; }
};
struct VideoDifference {
  static std::int32_t apply(std::int32_t a, std::int32_t b) { return a > b ? a - b : b - a; }
};
struct VideoMinimum {
  static std::int32_t apply(std::int32_t a, std::int32_t b) { return Minimum::apply(a, b); }
};
struct VideoMaximum {
  static std::int32_t apply(std::int32_t a, std::int32_t b) { return Maximum::apply(a, b); }
};

enum class After { nothing, saturate, add };  // .sat, .add

template <int kBits, bool kSigned>
static inline std::int32_t part(std::uint32_t word, int i) {
  const std::uint32_t raised = word << (32 - kBits * (i + 1));
  if constexpr (kSigned) return static_cast<std::int32_t>(raised) >> (32 - kBits);
  return static_cast<std::int32_t>(raised >> (32 - kBits));
}

// kSignedResult, kSignedOperands: whether their parts are signed. c matters with .add only, which adds it to
// the sum of the parts. Otherwise every part of d is written, and none comes from c.
template <class F, int kBits, bool kSignedResult, bool kSignedOperands, After kAfter>
struct Video {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    constexpr std::int32_t low = kSignedResult ? -(1 << (kBits - 1)) : 0;
    constexpr std::int32_t high = kSignedResult ? (1 << (kBits - 1)) - 1 : (1 << kBits) - 1;
    std::uint32_t sum = c, packed = 0;
    for (int i = 0; i < 32 / kBits; ++i) {
      std::int32_t x = F::apply(part<kBits, kSignedOperands>(a, i), part<kBits, kSignedOperands>(b, i));
      if constexpr (kAfter == After::saturate) x = x < low ? low : (x > high ? high : x);
      sum += static_cast<std::uint32_t>(x);
      packed |= (static_cast<std::uint32_t>(x) & ((1u << kBits) - 1)) << i * kBits;
    }
    return kAfter == After::add ? sum : packed;
  }
};

#define VIDEO_ROW(form, bits, result, operands, after, functor, section)           \
  functor_row<Video<functor, bits, result, operands, After::after>, ternary<b32>>( \
      form, CounterClass::integer, section),
#define OF_TYPES(opcode, bits, types, result, operands, functor, section)            \
  VIDEO_ROW(opcode types, bits, result, operands, nothing, functor, section)         \
  VIDEO_ROW(opcode types ".sat", bits, result, operands, saturate, functor, section) \
  VIDEO_ROW(opcode types ".add", bits, result, operands, add, functor, section)
#define OF_WIDTH(opcode, bits, functor, section)                         \
  OF_TYPES(opcode, bits, ".u32.u32.u32", false, false, functor, section) \
  OF_TYPES(opcode, bits, ".s32.s32.s32", true, true, functor, section)   \
  OF_TYPES(opcode, bits, ".s32.u32.u32", true, false, functor, section)  \
  OF_TYPES(opcode, bits, ".u32.s32.s32", false, true, functor, section)
#define OPERATION(name, functor, section)   \
  OF_WIDTH(#name "2", 16, functor, section) \
  OF_WIDTH(#name "4", 8, functor, section)

constexpr Operation kRows[] = {
#include "isa/rows/video.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(video_rows, kRows);
}  // namespace warpgrade::isa::rare
