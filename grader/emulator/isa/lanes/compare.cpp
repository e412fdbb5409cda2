// Rows of set and setp. Predicates are masks, so a comparison packs 32 results into one word.
#include "isa/lanes/compare.hpp"

#include "isa/lanes/row.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {
namespace {

// The plain setp has its comparison inline; the rarer forms share one out-of-line copy for each comparison.
template <class F, class T>
[[gnu::noinline]] std::uint32_t compare_at(const Warp& warp, const Instruction* at, int first) {
  return compare<F, T>(warp, at, first);
}
template <class D>
[[gnu::noinline]] void spread(Warp& warp, std::uint32_t slot, std::uint32_t mask) {
  constexpr auto yes = std::is_same_v<D, f32> ? typename D::value{1} : static_cast<typename D::value>(-1);
  for_lanes<D>(warp, slot, [=](int i) { return mask & kBits32.bit[i] ? yes : typename D::value{0}; });
}

// operands: p, q (kNoOperand where the text has no |q), a, b [, c]
template <class F, class T, class Combine>
const Instruction* setp(Warp& warp, const Instruction* at) {
  std::uint32_t relation, c = 0;
  if constexpr (kCombines<Combine>) {
    relation = compare_at<F, T>(warp, at, 2);
    c = predicate_operand(warp, at, 4);
  } else {
    relation = compare<F, T>(warp, at, 2);
  }
  write_mask(warp, at->operand[0], Combine::apply(relation, c));
  if (at->operand[1] != exec::kNoOperand) write_mask(warp, at->operand[1], Combine::apply(~relation, c));
  return at + 1;
}

// operands: d, a, b [, c]. True is all ones, or 1.0 for a floating destination.
template <class F, class T, class Combine, class D>
const Instruction* set(Warp& warp, const Instruction* at) {
  std::uint32_t relation = compare_at<F, T>(warp, at, 1);
  if constexpr (kCombines<Combine>) relation = Combine::apply(relation, predicate_operand(warp, at, 3));
  spread<D>(warp, at->operand[0], relation);
  return at + 1;
}

template <class T, class Combine>
using SetpSignature =
    std::conditional_t<kCombines<Combine>, Signature<pred, pred, T, T, pred>, Signature<pred, pred, T, T>>;
template <class D, class T, class Combine>
using SetSignature = std::conditional_t<kCombines<Combine>, Signature<D, T, T, pred>, Signature<D, T, T>>;

#define SETP_ROW(relation, functor, modifiers, Combine, type)                                       \
  make_row("setp." #relation modifiers #type, &setp<functor, type, Combine>, CounterClass::compare, \
           "9.7.6.2", SetpSignature<type, Combine>{}),
#define SET_ROW(relation, functor, modifiers, Combine, to, type)                       \
  make_row("set." #relation modifiers #to "." #type, &set<functor, type, Combine, to>, \
           CounterClass::compare, "9.7.6.1", SetSignature<to, type, Combine>{}),
#define COMBINED(relation, functor, modifiers, Combine, type) \
  SETP_ROW(relation, functor, modifiers, Combine, type)       \
  SET_ROW(relation, functor, modifiers, Combine, u32, type)   \
  SET_ROW(relation, functor, modifiers, Combine, s32, type)   \
  SET_ROW(relation, functor, modifiers, Combine, f32, type)
#define COMPARE(relation, functor, type)              \
  COMBINED(relation, functor, ".", Alone, type)       \
  COMBINED(relation, functor, ".and.", MaskAnd, type) \
  COMBINED(relation, functor, ".or.", MaskOr, type)   \
  COMBINED(relation, functor, ".xor.", MaskXor, type)
#define COMPARE_FLUSHED(relation, functor, type)                   \
  COMBINED(relation, Flushed<functor>, ".ftz.", Alone, type)       \
  COMBINED(relation, Flushed<functor>, ".and.ftz.", MaskAnd, type) \
  COMBINED(relation, Flushed<functor>, ".or.ftz.", MaskOr, type)   \
  COMBINED(relation, Flushed<functor>, ".xor.ftz.", MaskXor, type)

constexpr Operation kRows[] = {
#include "isa/rows/compare.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(compare_rows, kRows);
}  // namespace warpgrade::isa::WARPGRADE_LANES
