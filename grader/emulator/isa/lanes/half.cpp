// Rows of f16 and bf16 arithmetic that neither flush nor clamp; the others are in isa/rare/half.cpp.
#include "isa/functors/half.hpp"

#include "isa/lanes/row.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {
namespace {

// A row for a format and one for pairs of it.
#define ONE_AND_PAIR(form, type, section, signature, ...)                                 \
  functor_row<__VA_ARGS__, signature<type>>(form "." #type, CounterClass::half, section), \
      functor_row<Both<__VA_ARGS__>, signature<type##x2>>(form "." #type "x2", CounterClass::half, section),
#define HALF(form, functor, flush, clamp, signature, section) \
  HALF_##flush##_##clamp(form, functor, signature, section)
#define HALF_false_none(form, functor, signature, section) \
  ONE_AND_PAIR(form, f16, section, signature, OnHalf<f16, functor>)
#define HALF_true_none(...)
#define HALF_false_unit(...)
#define HALF_true_unit(...)
#define HALF_false_relu(...)
#define HALF_true_relu(...)
#define BRAIN(form, functor, clamp, signature, section) BRAIN_##clamp(form, functor, signature, section)
#define BRAIN_none(form, functor, signature, section) \
  ONE_AND_PAIR(form, bf16, section, signature, OnHalf<bf16, functor>)
#define BRAIN_relu(...)
#define FLUSHED_BRAIN(form, functor, signature, section) \
  ONE_AND_PAIR(form, bf16, section, signature, OnHalf<bf16, functor, true>)
#define SIGN(opcode, mask, flip, section)                                         \
  ONE_AND_PAIR(opcode, f16, section, unary, OnSign<f16, mask, flip>)              \
  ONE_AND_PAIR(opcode ".ftz", f16, section, unary, OnSign<f16, mask, flip, true>) \
  ONE_AND_PAIR(opcode, bf16, section, unary, OnSign<bf16, mask, flip>)

constexpr Operation kRows[] = {
#include "isa/rows/half.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(half_rows, kRows);
}  // namespace warpgrade::isa::WARPGRADE_LANES
