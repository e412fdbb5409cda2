// Rows of the f32 and f64 instructions that round toward zero, down or up, or saturate, and of the rarer
// minima and maxima. The functors are the ordinary ones: the processor's rounding mode (MXCSR) is set while
// they run for the 32 lanes.
#include "isa/functors/floating.hpp"
#include "isa/functors/convert.hpp"
#include "isa/rare/loop.hpp"

namespace warpgrade::isa::rare {
namespace {

// Bits 13 and 14 of MXCSR.
enum Rounding : std::uint32_t { rn = 0, rm = 0x2000, rp = 0x4000, rz = 0x6000 };

// Sets the rounding mode for a scope. The compiler moves no memory access across its two asm statements, so
// operands are loaded and results stored between them. The arithmetic depends on these and stays there too.
template <std::uint32_t kMode>
class RoundingMode {
 public:
  RoundingMode() : before_(__builtin_ia32_stmxcsr()) {
    __builtin_ia32_ldmxcsr((before_ & ~std::uint32_t{rz}) | kMode);
    asm volatile("" ::: "memory");
  }
  ~RoundingMode() {
    asm volatile("" ::: "memory");
    __builtin_ia32_ldmxcsr(before_);
  }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  std::uint32_t before_;
};

template <class F, class S, std::uint32_t kMode>
const DecodedInstruction* rounded(Warp& warp, const DecodedInstruction* at) {
  const RoundingMode<kMode> mode;
  return each_lane<F>(warp, at, S{});
}

// F on the two f32 of a .b64 register.
template <class F, bool kFlush>
struct EachOfPair {
  template <class... Pairs>
  static std::uint64_t apply(Pairs... x) {
    const float low = Float<F, kFlush>::apply(from_bits(static_cast<std::uint32_t>(x))...);
    const float high = Float<F, kFlush>::apply(from_bits(static_cast<std::uint32_t>(x >> 32))...);
    return to_bits(low) | std::uint64_t{to_bits(high)} << 32;
  }
};

// F on f32: of the last operand, and of the others in the narrow format T.
template <class T, class F, bool kSaturate>
struct Mixed {
  static float apply(std::uint16_t a, float c) {
    return Float<F, false, kSaturate>::apply(Wide<T>::of(a), c);
  }
  static float apply(std::uint16_t a, std::uint16_t b, float c) {
    return Float<F, false, kSaturate>::apply(Wide<T>::of(a), Wide<T>::of(b), c);
  }
};
template <class T>
using mixed_binary = Signature<f32, T, f32>;
template <class T>
using mixed_ternary = Signature<f32, T, T, f32>;

#define SINGLE(form, functor, flush, saturate, mode, signature, counts, section)         \
  make_row(form ".f32", &rounded<Float<functor, flush, saturate>, signature<f32>, mode>, \
           CounterClass::counts, section, signature<f32>{}),
#define DOUBLE(form, functor, mode, signature, section)                                                 \
  make_row(form ".f64", &rounded<Float<functor>, signature<f64>, mode>, CounterClass::double_precision, \
           section, signature<f64>{}),
#define SATURATED(form, functor, mode, signature, counts, section)            \
  SINGLE(form ".sat", functor, false, true, mode, signature, counts, section) \
  SINGLE(form ".ftz.sat", functor, true, true, mode, signature, counts, section)
#define ROUNDED(opcode, functor, mode, signature, counts, section)                        \
  SINGLE(opcode "." #mode, functor, false, false, mode, signature, counts, section)       \
  SINGLE(opcode "." #mode ".ftz", functor, true, false, mode, signature, counts, section) \
  SATURATED(opcode "." #mode, functor, mode, signature, counts, section)                  \
  DOUBLE(opcode "." #mode, functor, mode, signature, section)
#define ARITHMETIC_ROUNDED(opcode, functor, signature, counts, section) \
  SATURATED(opcode ".rn", functor, rn, signature, counts, section)      \
  ROUNDED(opcode, functor, rz, signature, counts, section)              \
  ROUNDED(opcode, functor, rm, signature, counts, section)              \
  ROUNDED(opcode, functor, rp, signature, counts, section)
#define ARITHMETIC(opcode, functor, signature, counts, section) \
  SATURATED(opcode, functor, rn, signature, counts, section)    \
  ARITHMETIC_ROUNDED(opcode, functor, signature, counts, section)
#define DIVISION_ROUNDED(opcode, functor, mode, signature, section)                            \
  SINGLE(opcode "." #mode, functor, false, false, mode, signature, float_other, section)       \
  SINGLE(opcode "." #mode ".ftz", functor, true, false, mode, signature, float_other, section) \
  DOUBLE(opcode "." #mode, functor, mode, signature, section)
#define DIVISION(opcode, functor, signature, section)       \
  DIVISION_ROUNDED(opcode, functor, rz, signature, section) \
  DIVISION_ROUNDED(opcode, functor, rm, signature, section) \
  DIVISION_ROUNDED(opcode, functor, rp, signature, section)

#define PAIR(form, functor, flush, mode, signature, section)                          \
  make_row(form ".f32x2", &rounded<EachOfPair<functor, flush>, signature<b64>, mode>, \
           CounterClass::float_other, section, signature<b64>{}),
#define PAIRS_IN_MODE(form, functor, mode, signature, section) \
  PAIR(form, functor, false, mode, signature, section)         \
  PAIR(form ".ftz", functor, true, mode, signature, section)
#define PAIRS_ROUNDED(opcode, functor, signature, section)     \
  PAIRS_IN_MODE(opcode ".rn", functor, rn, signature, section) \
  PAIRS_IN_MODE(opcode ".rz", functor, rz, signature, section) \
  PAIRS_IN_MODE(opcode ".rm", functor, rm, signature, section) \
  PAIRS_IN_MODE(opcode ".rp", functor, rp, signature, section)
#define PAIRS(opcode, functor, signature, section)       \
  PAIRS_IN_MODE(opcode, functor, rn, signature, section) \
  PAIRS_ROUNDED(opcode, functor, signature, section)

#define MIXED_OF(form, type, functor, saturate, mode, signature, section)                       \
  make_row(form ".f32." #type, &rounded<Mixed<type, functor, saturate>, signature<type>, mode>, \
           CounterClass::float_other, section, signature<type>{}),
#define MIXED_IN_MODE(form, functor, mode, signature, section)        \
  MIXED_OF(form, f16, functor, false, mode, signature, section)       \
  MIXED_OF(form, bf16, functor, false, mode, signature, section)      \
  MIXED_OF(form ".sat", f16, functor, true, mode, signature, section) \
  MIXED_OF(form ".sat", bf16, functor, true, mode, signature, section)
#define MIXED_ROUNDED(opcode, functor, signature, section)     \
  MIXED_IN_MODE(opcode ".rn", functor, rn, signature, section) \
  MIXED_IN_MODE(opcode ".rz", functor, rz, signature, section) \
  MIXED_IN_MODE(opcode ".rm", functor, rm, signature, section) \
  MIXED_IN_MODE(opcode ".rp", functor, rp, signature, section)
#define MIXED(opcode, functor, signature, section)       \
  MIXED_IN_MODE(opcode, functor, rn, signature, section) \
  MIXED_ROUNDED(opcode, functor, signature, section)

#define EXTREMUM_OF(form, more, functor, signature, section)                                                \
  functor_row<Float<functor>, signature<f32>>(form more ".f32", CounterClass::float_other, section),        \
      functor_row<Float<functor, true>, signature<f32>>(form ".ftz" more ".f32", CounterClass::float_other, \
                                                        section),
// Forms of three operands: the operand pattern in the key distinguishes them from the forms of two.
#define EXTREMUM_3(form, more, functor, section)                                                    \
  functor_row<Float<functor>, ternary<f32>>(form more ".f32 d, a, b, c", CounterClass::float_other, \
                                            section),                                               \
      functor_row<Float<functor, true>, ternary<f32>>(form ".ftz" more ".f32 d, a, b, c",           \
                                                      CounterClass::float_other, section),
#define EXTREMUM(opcode, functor, section)                                          \
  EXTREMUM_OF(opcode, ".xorsign.abs", XorSign<functor>, binary, section)            \
  EXTREMUM_OF(opcode, ".NaN.xorsign.abs", XorSign<functor##OrNan>, binary, section) \
  EXTREMUM_3(opcode, "", functor, section)                                          \
  EXTREMUM_3(opcode, ".NaN", functor##OrNan, section)                               \
  EXTREMUM_3(opcode, ".abs", OfMagnitudes<functor>, section)                        \
  EXTREMUM_3(opcode, ".NaN.abs", OfMagnitudes<functor##OrNan>, section)
#define APPROXIMATE(...)  // isa/lanes/floating.cpp
#undef ROW
#define ROW(...)

constexpr Operation kRows[] = {
#include "isa/rows/floating.def"
#include "isa/rows/floating_plain.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(float_rows, kRows);
}  // namespace warpgrade::isa::rare
