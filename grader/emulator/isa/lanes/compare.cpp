// Rows of setp. Predicates are masks, so a comparison packs 32 results into one word.
// isa/rare/compare.cpp has set, and setp with a second predicate.
#include "isa/functors/compare.hpp"

#include "isa/lanes/row.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {
namespace {

// operands: p, q (kNoOperand if the text has no |q), a, b
template <class F, class T>
const DecodedInstruction* setp(Warp& warp, const DecodedInstruction* at) {
  const std::uint32_t relation = compare<F, T>(warp, at, 2);
  write_mask(warp, at->operand[0], relation);
  if (at->operand[1] != emulator::kNoOperand) write_mask(warp, at->operand[1], ~relation);
  return at + 1;
}

#define SETP_ROW(relation, functor, modifiers, type)                                                  \
  make_row("setp." #relation modifiers #type, &setp<functor, type>, CounterClass::compare, "9.7.6.2", \
           Signature<pred, pred, type, type>{}),
#define COMPARE(relation, functor, type) SETP_ROW(relation, functor, ".", type)
#define COMPARE_FLUSHED(relation, functor, type) SETP_ROW(relation, Flushed<functor>, ".ftz.", type)

constexpr Operation kRows[] = {
#include "isa/rows/compare.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(compare_rows, kRows);
}  // namespace warpgrade::isa::WARPGRADE_LANES
