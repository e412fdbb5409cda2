// Rows of set and setp for the 16-bit floating types.
#include "isa/functors/half.hpp"
#include "isa/rare/compare.hpp"

namespace warpgrade::isa::rare {
namespace {

// Masks of comparing the low and the high halves of two registers.
struct Masks {
  std::uint32_t low, high;
};
using HalfRelation = bool (*)(std::uint16_t, std::uint16_t);
[[gnu::noinline]] Masks relating_pair(const Warp& warp, const DecodedInstruction* at, int first,
                                      HalfRelation relation) {
  const auto *a = warp.lanes<std::uint32_t>(at->operand[first]),
             *b = warp.lanes<std::uint32_t>(at->operand[first + 1]);
  const auto half = [](std::uint32_t x) { return static_cast<std::uint16_t>(x); };
  Masks masks = {0, 0};
  for (int lane = 0; lane < kWarpSize; ++lane) {
    masks.low |= std::uint32_t{relation(half(a[lane]), half(b[lane]))} << lane;
    masks.high |= std::uint32_t{relation(half(a[lane] >> 16), half(b[lane] >> 16))} << lane;
  }
  return masks;
}
[[gnu::noinline]] const DecodedInstruction* set_pair_register(Warp& warp, const DecodedInstruction* at,
                                                              Masks relation, How how, std::uint32_t yes) {
  const std::uint32_t low = combined(warp, at, 3, relation.low, how);
  const std::uint32_t high = combined(warp, at, 3, relation.high, how);
  auto* to = warp.lanes<std::uint32_t>(at->operand[0]);
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (warp.active >> lane & 1) to[lane] = (low >> lane & 1 ? yes : 0) | (high >> lane & 1 ? yes << 16 : 0);
  return at + 1;
}

// For a pair, p is for the low halves and q for the high ones.
template <class F, class T, How kHow>
const DecodedInstruction* setp_pair(Warp& warp, const DecodedInstruction* at) {
  const Masks relation = relating_pair(warp, at, 2, &relates<F, T>);
  return set_predicates(warp, at, relation.low, relation.high, kHow);
}
template <class F, class T, How kHow, std::uint32_t kYes>
const DecodedInstruction* set_pair(Warp& warp, const DecodedInstruction* at) {
  return set_pair_register(warp, at, relating_pair(warp, at, 1, &relates<F, T>), kHow, kYes);
}

#define ONE_HALF 0x3c00   // 1.0 in f16
#define ONE_BRAIN 0x3f80  // and in bf16
#define SETP(text, handler, type, as, F, flush, how)                                    \
  make_row("setp." text "." #as, &handler<CompareHalf<type, F, flush>, type, How::how>, \
           CounterClass::compare, "9.7.7.2", SetpSignature<as, How::how>{}),
#define SET(text, type, to, Word, yes, F, flush, how)                                                 \
  make_row("set." text "." #to "." #type,                                                             \
           &set<CompareHalf<type, F, flush>, type, How::how, std::Word, static_cast<std::Word>(yes)>, \
           CounterClass::compare, "9.7.7.1", SetSignature<to, type, How::how>{}),
#define SET_PAIR(text, type, to, yes, F, flush, how)                                                        \
  make_row("set." text "." #to "." #type "x2", &set_pair<CompareHalf<type, F, flush>, type, How::how, yes>, \
           CounterClass::compare, "9.7.7.1", SetSignature<to, type##x2, How::how>{}),
#define OF_TYPE(text, type, one, F, flush, how)        \
  SETP(text, setp, type, type, F, flush, how)          \
  SETP(text, setp_pair, type, type##x2, F, flush, how) \
  SET(text, type, type, uint16_t, one, F, flush, how)  \
  SET(text, type, u16, uint16_t, -1, F, flush, how)    \
  SET(text, type, s16, uint16_t, -1, F, flush, how)    \
  SET(text, type, u32, uint32_t, -1, F, flush, how)    \
  SET(text, type, s32, uint32_t, -1, F, flush, how)    \
  SET_PAIR(text, type, type##x2, one, F, flush, how)   \
  SET_PAIR(text, type, u32, 0xffff, F, flush, how)     \
  SET_PAIR(text, type, s32, 0xffff, F, flush, how)
#define COMBINED(relation, F, combined, how)                      \
  OF_TYPE(#relation combined, f16, ONE_HALF, F, false, how)       \
  OF_TYPE(#relation combined ".ftz", f16, ONE_HALF, F, true, how) \
  OF_TYPE(#relation combined, bf16, ONE_BRAIN, F, false, how)
#define COMPARE(relation, F)              \
  COMBINED(relation, F, "", alone)        \
  COMBINED(relation, F, ".and", with_and) \
  COMBINED(relation, F, ".or", with_or)   \
  COMBINED(relation, F, ".xor", with_xor)

constexpr Operation kRows[] = {
#include "isa/rows/compare_half.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(compare_half_rows, kRows);
}  // namespace warpgrade::isa::rare
