// Rows of the extended-precision integer instructions: the condition code is Warp::carry, one bit a lane.
#include "isa/lanes/integer.hpp"
#include "isa/lanes/row.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {
namespace {

// apply(a, b[, c], carry in, carry out)
struct AddCarry {
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
struct SubtractBorrow {
  template <class T>
  static T apply(T a, T b, bool in, bool& out) {
    using Unsigned = std::make_unsigned_t<T>;
    Unsigned difference, rest;
    const bool first =
        __builtin_sub_overflow(static_cast<Unsigned>(a), static_cast<Unsigned>(b), &difference);
    const bool second = __builtin_sub_overflow(difference, static_cast<Unsigned>(in), &rest);
    out = first || second;
    return static_cast<T>(rest);
  }
};
template <class Product>
struct MultiplyAddCarry {
  template <class T>
  static T apply(T a, T b, T c, bool in, bool& out) {
    return AddCarry::apply(Product::apply(a, b), c, in, out);
  }
};

template <class T, bool kReads, bool kWrites, class Lane>
static inline const Instruction* carry_loop(Warp& warp, const Instruction* at, Lane lane) {
  auto* d = lanes<T>(warp, at->operand[0]);
  std::uint32_t carry = 0;
  alignas(64) typename T::storage result[kWarpSize];
  for (int i = 0; i < kWarpSize; ++i) {
    bool out = false;
    result[i] = lane(i, kReads && (warp.carry >> i & 1), out);
    carry |= std::uint32_t{out} << i;
  }
  blend(d, result, warp.active);
  if constexpr (kWrites) warp.carry = (warp.carry & ~warp.active) | (carry & warp.active);
  return at + 1;
}

template <class F, class T, bool kReads, bool kWrites>
const Instruction* carry2(Warp& warp, const Instruction* at) {
  const auto *a = lanes<T>(warp, at->operand[1]), *b = lanes<T>(warp, at->operand[2]);
  return carry_loop<T, kReads, kWrites>(
      warp, at, [=](int i, bool in, bool& out) { return F::apply(a[i], b[i], in, out); });
}
template <class F, class T, bool kReads, bool kWrites>
const Instruction* carry3(Warp& warp, const Instruction* at) {
  const auto *a = lanes<T>(warp, at->operand[1]), *b = lanes<T>(warp, at->operand[2]),
             *c = lanes<T>(warp, at->operand[3]);
  return carry_loop<T, kReads, kWrites>(
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
WARPGRADE_DEFINE_ROWS(extended_rows, kRows);
}  // namespace warpgrade::isa::WARPGRADE_LANES
