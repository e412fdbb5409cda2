// Rows of f16 and bf16 arithmetic that flush subnormals or clamp.
#include "isa/functors/half.hpp"

#include "isa/rare/loop.hpp"

namespace warpgrade::isa::rare {
namespace {

// A row for a format and one for pairs of it.
#define ONE_AND_PAIR(form, type, section, signature, ...)                                 \
  functor_row<__VA_ARGS__, signature<type>>(form "." #type, CounterClass::half, section), \
      functor_row<Both<__VA_ARGS__>, signature<type##x2>>(form "." #type "x2", CounterClass::half, section),
#define FLUSHED_OR_CLAMPED(form, functor, signature, section, flush, clamp) \
  ONE_AND_PAIR(form, f16, section, signature, OnHalf<f16, functor, flush, Clamp::clamp>)
#define HALF(form, functor, flush, clamp, signature, section) \
  HALF_##flush##_##clamp(form, functor, signature, section)
#define HALF_false_none(...)  // isa/lanes/half.cpp
#define HALF_true_none(...) FLUSHED_OR_CLAMPED(__VA_ARGS__, true, none)
#define HALF_false_unit(...) FLUSHED_OR_CLAMPED(__VA_ARGS__, false, unit)
#define HALF_true_unit(...) FLUSHED_OR_CLAMPED(__VA_ARGS__, true, unit)
#define HALF_false_relu(...) FLUSHED_OR_CLAMPED(__VA_ARGS__, false, relu)
#define HALF_true_relu(...) FLUSHED_OR_CLAMPED(__VA_ARGS__, true, relu)
#define BRAIN(form, functor, clamp, signature, section) BRAIN_##clamp(form, functor, signature, section)
#define BRAIN_none(...)
#define BRAIN_relu(form, functor, signature, section) \
  ONE_AND_PAIR(form, bf16, section, signature, OnHalf<bf16, functor, false, Clamp::relu>)
#define FLUSHED_BRAIN(...)
#define SIGN(...)

constexpr Operation kRows[] = {
#include "isa/rows/half.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(half_rows, kRows);
}  // namespace warpgrade::isa::rare
