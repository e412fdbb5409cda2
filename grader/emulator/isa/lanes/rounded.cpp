// Rows of the f32 and f64 instructions that round toward zero, down or up: the ordinary functors, run with
// the processor's rounding mode (MXCSR) set for the 32 lanes.
#include "isa/lanes/floating.hpp"
#include "isa/lanes/row.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {
namespace {

// Bits 13 and 14 of MXCSR.
enum Rounding : std::uint32_t { rm = 0x2000, rp = 0x4000, rz = 0x6000 };

// The operands are loaded and the results stored between two statements that the compiler may not move memory
// accesses across; the arithmetic depends on the one and feeds the other, so it stays between them too.
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
const Instruction* rounded(Warp& warp, const Instruction* at) {
  const RoundingMode<kMode> mode;
  return lanewise<F>(warp, at, S{});
}

#define SINGLE(form, functor, flush, saturate, mode, signature, counts, section)         \
  make_row(form ".f32", &rounded<Float<functor, flush, saturate>, signature<f32>, mode>, \
           CounterClass::counts, section, signature<f32>{}),
#define DOUBLE(form, functor, mode, signature, section)                                                 \
  make_row(form ".f64", &rounded<Float<functor>, signature<f64>, mode>, CounterClass::double_precision, \
           section, signature<f64>{}),
#define ROUNDED(opcode, functor, mode, signature, counts, section)                           \
  SINGLE(opcode "." #mode, functor, false, false, mode, signature, counts, section)          \
  SINGLE(opcode "." #mode ".ftz", functor, true, false, mode, signature, counts, section)    \
  SINGLE(opcode "." #mode ".sat", functor, false, true, mode, signature, counts, section)    \
  SINGLE(opcode "." #mode ".ftz.sat", functor, true, true, mode, signature, counts, section) \
  DOUBLE(opcode "." #mode, functor, mode, signature, section)
#define ARITHMETIC_ROUNDED(opcode, functor, signature, counts, section) \
  ROUNDED(opcode, functor, rz, signature, counts, section)              \
  ROUNDED(opcode, functor, rm, signature, counts, section)              \
  ROUNDED(opcode, functor, rp, signature, counts, section)
#define ARITHMETIC ARITHMETIC_ROUNDED
#define DIVISION_ROUNDED(opcode, functor, mode, signature, section)                            \
  SINGLE(opcode "." #mode, functor, false, false, mode, signature, float_other, section)       \
  SINGLE(opcode "." #mode ".ftz", functor, true, false, mode, signature, float_other, section) \
  DOUBLE(opcode "." #mode, functor, mode, signature, section)
#define DIVISION(opcode, functor, signature, section)       \
  DIVISION_ROUNDED(opcode, functor, rz, signature, section) \
  DIVISION_ROUNDED(opcode, functor, rm, signature, section) \
  DIVISION_ROUNDED(opcode, functor, rp, signature, section)

constexpr Operation kRows[] = {
#include "isa/rows/floating.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(rounded_rows, kRows);
}  // namespace warpgrade::isa::WARPGRADE_LANES
