// Results of set and setp for a comparison of two values: one function, called lane by lane.
#pragma once

#include "isa/functors/compare.hpp"
#include "isa/rare/loop.hpp"

namespace warpgrade::isa::rare {

// How the result is combined with the predicate operand c.
enum class How { alone, with_and, with_or, with_xor };

// p, combined with the predicate operand `operand`.
inline std::uint32_t combined(const Warp& warp, const DecodedInstruction* at, int operand, std::uint32_t p,
                              How how) {
  if (how == How::alone) return p;
  const std::uint32_t c = predicate_operand(warp, at, operand);
  if (how == How::with_and) return p & c;
  return how == How::with_or ? p | c : p ^ c;
}

// F::apply of one lane's registers.
template <class F, class T>
bool relates(typename T::storage a, typename T::storage b) {
  return F::apply(a, b);
}

// The mask of the lanes whose operands `first` and `first + 1` relate.
template <class S>
[[gnu::noinline, gnu::noclone]] std::uint32_t relating(const Warp& warp, const DecodedInstruction* at,
                                                       int first, bool (*relation)(S, S)) {
  const S *a = warp.lanes<S>(at->operand[first]), *b = warp.lanes<S>(at->operand[first + 1]);
  std::uint32_t mask = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) mask |= std::uint32_t{relation(a[lane], b[lane])} << lane;
  return mask;
}

// The handler of setp. Operands: p, q (kNoOperand if the text has no |q), a, b [, c].
[[gnu::noinline, gnu::noclone]] inline const DecodedInstruction* set_predicates(Warp& warp,
                                                                                const DecodedInstruction* at,
                                                                                std::uint32_t p,
                                                                                std::uint32_t q, How how) {
  const std::uint32_t first = combined(warp, at, 4, p, how), second = combined(warp, at, 4, q, how);
  write_mask(warp, at->operand[0], first);
  if (at->operand[1] != emulator::kNoOperand) write_mask(warp, at->operand[1], second);
  return at + 1;
}
// The handler of set. Operands: d, a, b [, c]. d is `yes` in lanes where the relation holds, else 0.
template <class Word>
[[gnu::noinline, gnu::noclone]] const DecodedInstruction* set_register(Warp& warp,
                                                                       const DecodedInstruction* at,
                                                                       std::uint32_t relation, How how,
                                                                       Word yes) {
  const std::uint32_t mask = combined(warp, at, 3, relation, how);
  auto* to = warp.lanes<Word>(at->operand[0]);
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (warp.active >> lane & 1) to[lane] = mask >> lane & 1 ? yes : Word{0};
  return at + 1;
}

template <class F, class T, How kHow>
const DecodedInstruction* setp(Warp& warp, const DecodedInstruction* at) {
  const std::uint32_t relation = relating(warp, at, 2, &relates<F, T>);
  return set_predicates(warp, at, relation, ~relation, kHow);
}
template <class F, class T, How kHow, class Word, Word kYes>
const DecodedInstruction* set(Warp& warp, const DecodedInstruction* at) {
  return set_register<Word>(warp, at, relating(warp, at, 1, &relates<F, T>), kHow, kYes);
}

template <class T, How kHow>
using SetpSignature =
    std::conditional_t<kHow != How::alone, Signature<pred, pred, T, T, pred>, Signature<pred, pred, T, T>>;
template <class D, class T, How kHow>
using SetSignature = std::conditional_t<kHow != How::alone, Signature<D, T, T, pred>, Signature<D, T, T>>;

}  // namespace warpgrade::isa::rare
