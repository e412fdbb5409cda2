// Rows of the logic and shift instructions.
#include "isa/functors/logic.hpp"

#include "isa/lanes/row.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {
namespace {

// lop3: bit i of the result is the bit of `table` that a, b and c choose. Written as seven two-way choices,
// which vectorise; the choices between constants are made once.
struct Lookup {
  std::uint32_t chosen[8];  // all ones where the table has a one
  explicit Lookup(std::uint32_t table) {
    for (int i = 0; i < 8; ++i) chosen[i] = (table >> i & 1) ? ~0u : 0u;
  }
  static std::uint32_t choose(std::uint32_t bit, std::uint32_t one, std::uint32_t zero) {
    return zero ^ (bit & (zero ^ one));
  }
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const std::uint32_t b00 = choose(c, chosen[1], chosen[0]), b01 = choose(c, chosen[3], chosen[2]);
    const std::uint32_t b10 = choose(c, chosen[5], chosen[4]), b11 = choose(c, chosen[7], chosen[6]);
    return choose(a, choose(b, b11, b10), choose(b, b01, b00));
  }
};

// operands: d, a, b, c, table (the same in every lane)
const DecodedInstruction* lop3(Warp& warp, const DecodedInstruction* at) {
  const auto *a = lanes<b32>(warp, at->operand[1]), *b = lanes<b32>(warp, at->operand[2]),
             *c = lanes<b32>(warp, at->operand[3]);
  const Lookup lookup(lanes<b32>(warp, at->operand[4])[0]);
  for_lanes<b32>(warp, at->operand[0], [=](int i) { return lookup(a[i], b[i], c[i]); });
  return at + 1;
}

// operands: d, p, a, b, c, table, q: p = (d != 0) with q
template <class Combine>
const DecodedInstruction* lop3_with_predicate(Warp& warp, const DecodedInstruction* at) {
  const auto *a = lanes<b32>(warp, at->operand[2]), *b = lanes<b32>(warp, at->operand[3]),
             *c = lanes<b32>(warp, at->operand[4]);
  const Lookup lookup(lanes<b32>(warp, at->operand[5])[0]);
  const std::uint32_t not_zero = gather_mask([=](int i) { return lookup(a[i], b[i], c[i]) != 0; });
  const std::uint32_t q = read_mask(warp, at->operand[6]) ^ static_cast<std::uint32_t>(at->immediate);
  for_lanes<b32>(warp, at->operand[0], [=](int i) { return lookup(a[i], b[i], c[i]); });
  write_mask(warp, at->operand[1], Combine::apply(not_zero, q));
  return at + 1;
}

template <class F>
const DecodedInstruction* mask2(Warp& warp, const DecodedInstruction* at) {
  write_mask(warp, at->operand[0], F::apply(read_mask(warp, at->operand[1]), 0));
  return at + 1;
}
template <class F>
const DecodedInstruction* mask3(Warp& warp, const DecodedInstruction* at) {
  write_mask(warp, at->operand[0],
             F::apply(read_mask(warp, at->operand[1]), read_mask(warp, at->operand[2])));
  return at + 1;
}
template <int kOperands>
using Masks = std::conditional_t<kOperands == 2, Signature<pred, pred>, Signature<pred, pred, pred>>;

// An expression in two names as a functor type: lambdas without captures can be template arguments.
template <auto kFunction>
struct Expression {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return kFunction(a, b); }
};
#define EXPRESSION(x, y, expression)                                                                   \
  Expression<[]([[maybe_unused]] std::uint32_t x, [[maybe_unused]] std::uint32_t y) -> std::uint32_t { \
    return expression;                                                                                 \
  }>

#define MASKS(form, count, expression, section) \
  make_row(form, &mask##count<EXPRESSION(a, b, expression)>, CounterClass::logic, section, Masks<count>{}),
#define LOOKUP(form, section) \
  make_row(form, &lop3, CounterClass::logic, section, Signature<b32, b32, b32, b32, b32>{}),
#define LOOKUP_WITH_PREDICATE(form, expression, section)                                           \
  make_row(form, &lop3_with_predicate<EXPRESSION(p, q, expression)>, CounterClass::logic, section, \
           Signature<b32, pred, b32, b32, b32, b32, pred>{}),

constexpr Operation kRows[] = {
#include "isa/rows/logic.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(logic_rows, kRows);
}  // namespace warpgrade::isa::WARPGRADE_LANES
