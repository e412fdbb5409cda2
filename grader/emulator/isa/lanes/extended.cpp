// Rows of the extended-precision integer instructions: the condition code is Warp::carry, one bit per lane.
#include "isa/functors/integer.hpp"
#include "isa/lanes/row.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {
namespace {

// apply(a, b[, c], carry in, carry out)
struct AddCarry {
  static constexpr bool without_flag = false;  // the carry in, if the instruction does not read the flag
  template <class T>
  static T apply(T a, T b, bool in, bool& out) {
    using Unsigned = std::make_unsigned_t<T>;
    Unsigned sum, total;
    const bool first = __builtin_add_overflow(static_cast<Unsigned>(a), static_cast<Unsigned>(b), &sum);
    const bool second = __builtin_add_overflow(sum, static_cast<Unsigned>(in), &total);
    out = first || second;
    return static_cast<T>(total);
  }
};
// a − b is a + ~b + 1, and the flag is the carry of that sum: it is set where nothing is borrowed. The
// hardware does this. The manual describes a borrow; sub.cc and subc together give the same with either.
struct SubtractBorrow {
  static constexpr bool without_flag = true;
  template <class T>
  static T apply(T a, T b, bool in, bool& out) {
    return AddCarry::apply(a, static_cast<T>(~b), in, out);
  }
};
template <class Product>
struct MultiplyAddCarry {
  static constexpr bool without_flag = false;
  template <class T>
  static T apply(T a, T b, T c, bool in, bool& out) {
    return AddCarry::apply(Product::apply(a, b), c, in, out);
  }
};

template <class T, bool kReads, bool kWrites, bool kCarryIn, class Lane>
static inline const DecodedInstruction* carry_loop(Warp& warp, const DecodedInstruction* at, Lane lane) {
  auto* d = lanes<T>(warp, at->operand[0]);
  std::uint32_t carry = 0;
  alignas(64) typename T::storage result[kWarpSize];
  for (int i = 0; i < kWarpSize; ++i) {
    bool out = false;
    result[i] = lane(i, kReads ? (warp.carry >> i & 1) != 0 : kCarryIn, out);
    carry |= std::uint32_t{out} << i;
  }
  blend(d, result, warp.active);
  if constexpr (kWrites) warp.carry = (warp.carry & ~warp.active) | (carry & warp.active);
  return at + 1;
}

template <class F, class T, bool kReads, bool kWrites>
const DecodedInstruction* carry2(Warp& warp, const DecodedInstruction* at) {
  const auto *a = lanes<T>(warp, at->operand[1]), *b = lanes<T>(warp, at->operand[2]);
  return carry_loop<T, kReads, kWrites, F::without_flag>(
      warp, at, [=](int i, bool in, bool& out) { return F::apply(a[i], b[i], in, out); });
}
template <class F, class T, bool kReads, bool kWrites>
const DecodedInstruction* carry3(Warp& warp, const DecodedInstruction* at) {
  const auto *a = lanes<T>(warp, at->operand[1]), *b = lanes<T>(warp, at->operand[2]),
             *c = lanes<T>(warp, at->operand[3]);
  return carry_loop<T, kReads, kWrites, F::without_flag>(
      warp, at, [=](int i, bool in, bool& out) { return F::apply(a[i], b[i], c[i], in, out); });
}

#define CARRY_ROW(type, form, handler, functor, reads, writes, signature, section)             \
  make_row(form #type, &handler<functor, type, reads, writes>, CounterClass::integer, section, \
           signature<type>{}),
#define CARRY2(form, functor, reads, writes, section) \
  EACH_INTEGER_32_64(CARRY_ROW, form, carry2, functor, reads, writes, binary, section)
#define CARRY3(form, functor, reads, writes, section) \
  EACH_INTEGER_32_64(CARRY_ROW, form, carry3, functor, reads, writes, ternary, section)

constexpr Operation kRows[] = {
#include "isa/rows/extended.def"
};

}  // namespace
WARPGRADE_DEFINE_ROWS(extended_rows, kRows, {});  // they read or write the carry flag
}  // namespace warpgrade::isa::WARPGRADE_LANES
