// Rows of set and setp for the 16-bit floating types.
#include "isa/lanes/half.hpp"
#include "isa/lanes/row.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {
namespace {

// Masks of comparing the low and the high halves of two registers. One copy for each relation and type.
template <class T, class F, bool kFlush>
[[gnu::noinline]] std::uint32_t compare_single(const Warp& warp, const Instruction* at, int first) {
  return compare<CompareHalf<T, F, kFlush>, T>(warp, at, first);
}
struct Masks {
  std::uint32_t low, high;
};
template <class T, class F, bool kFlush>
[[gnu::noinline]] Masks compare_pair(const Warp& warp, const Instruction* at, int first) {
  const auto *a = lanes<b32>(warp, at->operand[first]), *b = lanes<b32>(warp, at->operand[first + 1]);
  using Relation = CompareHalf<T, F, kFlush>;
  const auto half = [](std::uint32_t x) { return static_cast<std::uint16_t>(x); };
  return {gather_mask([=](int i) { return Relation::apply(half(a[i]), half(b[i])); }),
          gather_mask([=](int i) { return Relation::apply(half(a[i] >> 16), half(b[i] >> 16)); })};
}

// `yes` in the lanes of the mask. Out of line: very many rows use them.
template <class D>
[[gnu::noinline]] void spread(Warp& warp, std::uint32_t slot, std::uint32_t mask, typename D::value yes) {
  for_lanes<D>(warp, slot, [=](int i) { return mask & kBits32.bit[i] ? yes : typename D::value{0}; });
}
[[gnu::noinline]] void spread_pair(Warp& warp, std::uint32_t slot, Masks mask, std::uint32_t yes) {
  for_lanes<b32>(warp, slot, [=](int i) {
    return (mask.low & kBits32.bit[i] ? yes : 0) | (mask.high & kBits32.bit[i] ? yes << 16 : 0);
  });
}

// operands: p, q or kNoOperand, a, b [, c]
template <class T, class F, bool kFlush, class Combine>
const Instruction* setp_single(Warp& warp, const Instruction* at) {
  const std::uint32_t relation = compare_single<T, F, kFlush>(warp, at, 2);
  const std::uint32_t c = kCombines<Combine> ? predicate_operand(warp, at, 4) : 0;
  write_mask(warp, at->operand[0], Combine::apply(relation, c));
  if (at->operand[1] != exec::kNoOperand) write_mask(warp, at->operand[1], Combine::apply(~relation, c));
  return at + 1;
}
// Of a pair, p is for the low halves and q for the high ones.
template <class T, class F, bool kFlush, class Combine>
const Instruction* setp_pair(Warp& warp, const Instruction* at) {
  const Masks relation = compare_pair<T, F, kFlush>(warp, at, 2);
  const std::uint32_t c = kCombines<Combine> ? predicate_operand(warp, at, 4) : 0;
  write_mask(warp, at->operand[0], Combine::apply(relation.low, c));
  if (at->operand[1] != exec::kNoOperand) write_mask(warp, at->operand[1], Combine::apply(relation.high, c));
  return at + 1;
}

// operands: d, a, b [, c]. d is kYes in the lanes of the relation.
template <class T, class F, bool kFlush, class Combine, class D, typename D::value kYes>
const Instruction* set_single(Warp& warp, const Instruction* at) {
  const std::uint32_t c = kCombines<Combine> ? predicate_operand(warp, at, 3) : 0;
  spread<D>(warp, at->operand[0], Combine::apply(compare_single<T, F, kFlush>(warp, at, 1), c), kYes);
  return at + 1;
}
template <class T, class F, bool kFlush, class Combine, std::uint32_t kYes>
const Instruction* set_pair(Warp& warp, const Instruction* at) {
  const std::uint32_t c = kCombines<Combine> ? predicate_operand(warp, at, 3) : 0;
  const Masks relation = compare_pair<T, F, kFlush>(warp, at, 1);
  spread_pair(warp, at->operand[0], {Combine::apply(relation.low, c), Combine::apply(relation.high, c)},
              kYes);
  return at + 1;
}

template <class T, class Combine>
using SetpSignature =
    std::conditional_t<kCombines<Combine>, Signature<pred, pred, T, T, pred>, Signature<pred, pred, T, T>>;
template <class D, class T, class Combine>
using SetSignature = std::conditional_t<kCombines<Combine>, Signature<D, T, T, pred>, Signature<D, T, T>>;

#define ONE_HALF 0x3c00   // 1.0 in f16
#define ONE_BRAIN 0x3f80  // and in bf16
#define SETP(text, handler, type, as, F, flush, Combine)                                              \
  make_row("setp." text "." #as, &handler<type, F, flush, Combine>, CounterClass::compare, "9.7.7.2", \
           SetpSignature<as, Combine>{}),
#define SET(text, type, to, yes, F, flush, Combine)                                                      \
  make_row("set." text "." #to "." #type,                                                                \
           &set_single<type, F, flush, Combine, to, static_cast<to::value>(yes)>, CounterClass::compare, \
           "9.7.7.1", SetSignature<to, type, Combine>{}),
#define SET_PAIR(text, type, to, yes, F, flush, Combine)                                \
  make_row("set." text "." #to "." #type "x2", &set_pair<type, F, flush, Combine, yes>, \
           CounterClass::compare, "9.7.7.1", SetSignature<to, type##x2, Combine>{}),
#define OF_TYPE(text, type, one, F, flush, Combine)        \
  SETP(text, setp_single, type, type, F, flush, Combine)   \
  SETP(text, setp_pair, type, type##x2, F, flush, Combine) \
  SET(text, type, type, one, F, flush, Combine)            \
  SET(text, type, u16, -1, F, flush, Combine)              \
  SET(text, type, s16, -1, F, flush, Combine)              \
  SET(text, type, u32, -1, F, flush, Combine)              \
  SET(text, type, s32, -1, F, flush, Combine)              \
  SET_PAIR(text, type, type##x2, one, F, flush, Combine)   \
  SET_PAIR(text, type, u32, 0xffff, F, flush, Combine)     \
  SET_PAIR(text, type, s32, 0xffff, F, flush, Combine)
#define COMBINED(relation, F, combined, Combine)                      \
  OF_TYPE(#relation combined, f16, ONE_HALF, F, false, Combine)       \
  OF_TYPE(#relation combined ".ftz", f16, ONE_HALF, F, true, Combine) \
  OF_TYPE(#relation combined, bf16, ONE_BRAIN, F, false, Combine)
#define COMPARE(relation, F)             \
  COMBINED(relation, F, "", Alone)       \
  COMBINED(relation, F, ".and", MaskAnd) \
  COMBINED(relation, F, ".or", MaskOr)   \
  COMBINED(relation, F, ".xor", MaskXor)

constexpr Operation kRows[] = {
#include "isa/rows/compare_half.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(compare_half_rows, kRows);
}  // namespace warpgrade::isa::WARPGRADE_LANES
