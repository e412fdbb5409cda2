// Rows of the f32 and f64 instructions that round to nearest or not at all. The rarer ones are in
// isa/rare/floating.cpp.
#include "isa/functors/floating.hpp"

#include "isa/lanes/row.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {
namespace {

template <class F>
using FlushedFloat = Float<F, true>;

#define SINGLE(form, functor, flush, signature, counts, section) \
  functor_row<Float<functor, flush>, signature<f32>>(form ".f32", CounterClass::counts, section),
#define SINGLES(form, functor, signature, counts, section) \
  SINGLE(form, functor, false, signature, counts, section) \
  SINGLE(form ".ftz", functor, true, signature, counts, section)
#define DOUBLE(form, functor, signature, section) \
  functor_row<Float<functor>, signature<f64>>(form ".f64", CounterClass::double_precision, section),
#define ARITHMETIC_ROUNDED(opcode, functor, signature, counts, section) \
  SINGLES(opcode ".rn", functor, signature, counts, section)            \
  DOUBLE(opcode ".rn", functor, signature, section)
// No rounding modifier: to nearest.
#define ARITHMETIC(opcode, functor, signature, counts, section) \
  SINGLES(opcode, functor, signature, counts, section)          \
  DOUBLE(opcode, functor, signature, section)                   \
  ARITHMETIC_ROUNDED(opcode, functor, signature, counts, section)
#define DIVISION(opcode, functor, signature, section)                      \
  SINGLE(opcode ".rn", functor, false, signature, float_other, section)    \
  SINGLE(opcode ".rn.ftz", functor, true, signature, float_other, section) \
  DOUBLE(opcode ".rn", functor, signature, section)

#define APPROXIMATE(opcode, functor, signature, section)               \
  SINGLE(opcode, functor, false, signature, special_function, section) \
  SINGLE(opcode ".ftz", functor, true, signature, special_function, section)
#define EXTREMUM_OF(opcode, modifiers, functor, signature, section)         \
  SINGLE(opcode modifiers, functor, false, signature, float_other, section) \
  SINGLE(opcode ".ftz" modifiers, functor, true, signature, float_other, section)
#define EXTREMUM(opcode, functor, section)                     \
  EXTREMUM_OF(opcode, "", functor, binary, section)            \
  EXTREMUM_OF(opcode, ".NaN", functor##OrNan, binary, section) \
  DOUBLE(opcode, functor, binary, section)
#define PAIRS(...)  // isa/rare/floating.cpp
#define PAIRS_ROUNDED(...)
#define MIXED(...)
#define MIXED_ROUNDED(...)

constexpr Operation kRows[] = {
#include "isa/rows/floating.def"
#include "isa/rows/floating_plain.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(float_rows, kRows);
}  // namespace warpgrade::isa::WARPGRADE_LANES
