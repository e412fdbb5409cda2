// Comparisons (PTX ISA 9.7.6): functors on two values, and loops that make a mask of 32 of them.
#pragma once

#include "isa/functors/loop.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {

// Ordered comparisons: false if an operand is NaN.
struct Equal {
  template <class T>
  static bool apply(T a, T b) {
    return a == b;
  }
};
struct Less {
  template <class T>
  static bool apply(T a, T b) {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
  static bool apply(T a, T b) {
    return a <= b;
  }
};
struct Greater {
  template <class T>
  static bool apply(T a, T b) {
    return a > b;
  }
};
struct GreaterEqual {
  template <class T>
  static bool apply(T a, T b) {
    return a >= b;
  }
};
struct NotEqual {
  template <class T>
  static bool apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) return (a < b) | (a > b);
    return a != b;
  }
};
struct IsNumber {
  template <class T>
  static bool apply(T a, T b) {
    return (a == a) & (b == b);
  }
};
// Unordered comparisons: true if an operand is NaN.
template <class Opposite>
struct NotThat {
  template <class T>
  static bool apply(T a, T b) {
    return !Opposite::apply(a, b);
  }
};

static inline float flush(float x) {  // subnormal → zero of its sign
  return __builtin_fabsf(x) < 1.17549435e-38f ? __builtin_copysignf(0.0f, x) : x;
}
template <class F>
struct Flushed {  // F with the operands' subnormals taken for zero
  static bool apply(float a, float b) { return F::apply(flush(a), flush(b)); }
};

// One mask for 32 comparisons of operands `first` and `first + 1`.
template <class F, class T>
static inline std::uint32_t compare(const Warp& warp, const DecodedInstruction* at, int first) {
  const auto *a = lanes<T>(warp, at->operand[first]), *b = lanes<T>(warp, at->operand[first + 1]);
  return gather_mask([=](int i) { return F::apply(a[i], b[i]); });
}
// The predicate operand c of a comparison; `immediate` inverts it where the text says !c.
static inline std::uint32_t predicate_operand(const Warp& warp, const DecodedInstruction* at, int operand) {
  return read_mask(warp, at->operand[operand]) ^ static_cast<std::uint32_t>(at->immediate);
}

}  // namespace warpgrade::isa::WARPGRADE_LANES
