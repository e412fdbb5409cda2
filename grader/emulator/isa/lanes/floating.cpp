// Rows of the f32 and f64 instructions that round to nearest or not at all.
#include "isa/lanes/floating.hpp"

#include "isa/lanes/row.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {
namespace {

template <class F>
using FlushedFloat = Float<F, true>;

using Least = FloatExtremum<false, false>;
using LeastOrNan = FloatExtremum<true, false>;
using Greatest = FloatExtremum<false, true>;
using GreatestOrNan = FloatExtremum<true, true>;

#define SINGLE(form, functor, flush, saturate, signature, counts, section) \
  lanewise_row<Float<functor, flush, saturate>, signature<f32>>(form ".f32", CounterClass::counts, section),
#define SINGLES(form, functor, signature, counts, section)              \
  SINGLE(form, functor, false, false, signature, counts, section)       \
  SINGLE(form ".ftz", functor, true, false, signature, counts, section) \
  SINGLE(form ".sat", functor, false, true, signature, counts, section) \
  SINGLE(form ".ftz.sat", functor, true, true, signature, counts, section)
#define DOUBLE(form, functor, signature, section) \
  lanewise_row<Float<functor>, signature<f64>>(form ".f64", CounterClass::double_precision, section),
#define ARITHMETIC_ROUNDED(opcode, functor, signature, counts, section) \
  SINGLES(opcode ".rn", functor, signature, counts, section)            \
  DOUBLE(opcode ".rn", functor, signature, section)
// No rounding modifier: to nearest.
#define ARITHMETIC(opcode, functor, signature, counts, section) \
  SINGLES(opcode, functor, signature, counts, section)          \
  DOUBLE(opcode, functor, signature, section)                   \
  ARITHMETIC_ROUNDED(opcode, functor, signature, counts, section)
#define DIVISION(opcode, functor, signature, section)                             \
  SINGLE(opcode ".rn", functor, false, false, signature, float_other, section)    \
  SINGLE(opcode ".rn.ftz", functor, true, false, signature, float_other, section) \
  DOUBLE(opcode ".rn", functor, signature, section)

#define APPROXIMATE(opcode, functor, signature, section)                      \
  SINGLE(opcode, functor, false, false, signature, special_function, section) \
  SINGLE(opcode ".ftz", functor, true, false, signature, special_function, section)
#define EXTREMUM_OF(opcode, modifiers, functor, signature, section)                \
  SINGLE(opcode modifiers, functor, false, false, signature, float_other, section) \
  SINGLE(opcode ".ftz" modifiers, functor, true, false, signature, float_other, section)
#define EXTREMUM(opcode, functor, section)                                          \
  EXTREMUM_OF(opcode, "", functor, binary, section)                                 \
  EXTREMUM_OF(opcode, ".NaN", functor##OrNan, binary, section)                      \
  EXTREMUM_OF(opcode, ".xorsign.abs", XorSign<functor>, binary, section)            \
  EXTREMUM_OF(opcode, ".NaN.xorsign.abs", XorSign<functor##OrNan>, binary, section) \
  EXTREMUM_3(opcode, "", functor, section)                                          \
  EXTREMUM_3(opcode, ".NaN", functor##OrNan, section)                               \
  EXTREMUM_3(opcode, ".abs", OfMagnitudes<functor>, section)                        \
  EXTREMUM_3(opcode, ".NaN.abs", OfMagnitudes<functor##OrNan>, section)             \
  DOUBLE(opcode, functor, binary, section)
// Of three operands: told apart from the form of two by their number, which find() appends.
#define EXTREMUM_3(opcode, modifiers, functor, section)                                                     \
  lanewise_row<Float<functor>, ternary<f32>>(opcode modifiers ".f32 d, a, b, c", CounterClass::float_other, \
                                             section),                                                      \
      lanewise_row<Float<functor, true>, ternary<f32>>(opcode ".ftz" modifiers ".f32 d, a, b, c",           \
                                                       CounterClass::float_other, section),

constexpr Operation kRows[] = {
#include "isa/rows/floating.def"
#include "isa/rows/floating_plain.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(float_rows, kRows);
}  // namespace warpgrade::isa::WARPGRADE_LANES
