// How a one-line functor becomes a handler: the loop over the 32 lanes of a warp.
//
// Written so that GCC turns it into vector code: no branch in the body, the mask applied by a blend.
// Everything is in the variant's own namespace, and nothing from the standard library that has code of its
// own is used, so that code for a newer processor cannot end up in the variant for an older one.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "exec/warp.hpp"
#include "isa/operation.hpp"
#include "ptx/module.hpp"

// Nobody reads the processor's floating-point exception flags, so comparisons need not keep their branches.
#pragma GCC optimize("no-trapping-math")

namespace warpgrade::isa::WARPGRADE_LANES {

using exec::Instruction;
using exec::kFullMask;
using exec::kWarpSize;
using exec::Warp;

// A PTX type: how its value looks to a functor and how a lane of its register looks in memory.
// 8-bit values live in 16-bit lanes (see exec/warp.hpp).
template <class Value, class Storage, ptx::Type kType>
struct Tag {
  using value = Value;
  using storage = Storage;
  static constexpr ptx::Type type = kType;
};
using u8 = Tag<std::uint8_t, std::uint16_t, ptx::Type::u8>;
using s8 = Tag<std::int8_t, std::int16_t, ptx::Type::s8>;
using b8 = Tag<std::uint8_t, std::uint16_t, ptx::Type::b8>;
using u16 = Tag<std::uint16_t, std::uint16_t, ptx::Type::u16>;
using s16 = Tag<std::int16_t, std::int16_t, ptx::Type::s16>;
using b16 = Tag<std::uint16_t, std::uint16_t, ptx::Type::b16>;
using u32 = Tag<std::uint32_t, std::uint32_t, ptx::Type::u32>;
using s32 = Tag<std::int32_t, std::int32_t, ptx::Type::s32>;
using b32 = Tag<std::uint32_t, std::uint32_t, ptx::Type::b32>;
using u64 = Tag<std::uint64_t, std::uint64_t, ptx::Type::u64>;
using s64 = Tag<std::int64_t, std::int64_t, ptx::Type::s64>;
using b64 = Tag<std::uint64_t, std::uint64_t, ptx::Type::b64>;
using f32 = Tag<float, float, ptx::Type::f32>;
using f64 = Tag<double, double, ptx::Type::f64>;
// The narrow floating types are bit patterns to the functors; see formats.hpp.
using f16 = Tag<std::uint16_t, std::uint16_t, ptx::Type::f16>;
using bf16 = Tag<std::uint16_t, std::uint16_t, ptx::Type::bf16>;
using f16x2 = Tag<std::uint32_t, std::uint32_t, ptx::Type::f16x2>;
using bf16x2 = Tag<std::uint32_t, std::uint32_t, ptx::Type::bf16x2>;
using tf32 = Tag<std::uint32_t, std::uint32_t, ptx::Type::tf32>;

// What a row's operands are, destination first.
template <class D, class... S>
struct Signature {};

template <class T>
using unary = Signature<T, T>;
template <class T>
using binary = Signature<T, T, T>;
template <class T>
using ternary = Signature<T, T, T, T>;
template <class T>
using shift_by = Signature<T, T, u32>;
template <class T>
using count_of = Signature<u32, T>;

template <class T>
struct Twice;
template <>
struct Twice<u16> {
  using type = u32;
};
template <>
struct Twice<s16> {
  using type = s32;
};
template <>
struct Twice<u32> {
  using type = u64;
};
template <>
struct Twice<s32> {
  using type = s64;
};
template <class T>
using wide_binary = Signature<typename Twice<T>::type, T, T>;
template <class T>
using wide_ternary = Signature<typename Twice<T>::type, T, T, typename Twice<T>::type>;

// Bit i of a warp's mask, as a table: SSE2 has no shift by a different count for each lane.
template <class Word>
struct Bits {
  Word bit[kWarpSize];
  constexpr Bits() : bit() {
    for (int i = 0; i < kWarpSize; ++i) bit[i] = static_cast<Word>(Word{1} << i % (8 * sizeof(Word)));
  }
};
inline constexpr Bits<std::uint16_t> kBits16;
inline constexpr Bits<std::uint32_t> kBits32;
inline constexpr Bits<std::uint64_t> kBits64;

template <class T>
static inline typename T::storage* lanes(const Warp& warp, std::uint32_t slot) {
  return reinterpret_cast<typename T::storage*>(warp.frame + slot);
}

// to[i] = from[i] for the lanes in `mask`. Both are loaded whatever the mask says: GCC then blends, where it
// would use slower masked loads otherwise.
template <class S>
static inline void blend(S* to, const S* from, std::uint32_t mask) {
  const auto mix = [=](int first, int last, auto word, const auto& bits) {
#pragma GCC ivdep
    for (int i = first; i < last; ++i) {
      const S yes = from[i], no = to[i];
      to[i] = (word & bits.bit[i]) ? yes : no;
    }
  };
  if constexpr (sizeof(S) == 2) {
    mix(0, 16, static_cast<std::uint16_t>(mask), kBits16);
    mix(16, 32, static_cast<std::uint16_t>(mask >> 16), kBits16);
  } else if constexpr (sizeof(S) == 8) {
    mix(0, kWarpSize, std::uint64_t{mask}, kBits64);
  } else {
    mix(0, kWarpSize, mask, kBits32);
  }
}

// a or b, by bit i of the mask.
template <class S>
static inline S choose(std::uint32_t mask, int i, S a, S b) {
  if constexpr (sizeof(S) == 8) return (std::uint64_t{mask} & kBits64.bit[i]) ? a : b;
  return (mask & kBits32.bit[i]) ? a : b;
}

// The mask of the lanes for which predicate(i) holds.
template <class Predicate>
static inline std::uint32_t gather_mask(Predicate predicate) {
  std::uint32_t mask = 0;
#pragma GCC ivdep
  for (int i = 0; i < kWarpSize; ++i) mask |= predicate(i) ? kBits32.bit[i] : 0u;
  return mask;
}

// Sets the active lanes of a predicate, leaves the others.
static inline void write_mask(Warp& warp, std::uint32_t slot, std::uint32_t value) {
  auto* mask = reinterpret_cast<std::uint32_t*>(warp.frame + slot);
  *mask = (*mask & ~warp.active) | (value & warp.active);
}
static inline std::uint32_t read_mask(const Warp& warp, std::uint32_t slot) {
  return *reinterpret_cast<const std::uint32_t*>(warp.frame + slot);
}

template <class D, class Body>
static inline void for_lanes(Warp& warp, std::uint32_t destination, Body body) {
  auto* to = lanes<D>(warp, destination);
  using Value = typename D::value;
  using Storage = typename D::storage;
  if (warp.active == kFullMask) [[likely]] {
#pragma GCC ivdep
    for (int i = 0; i < kWarpSize; ++i) to[i] = static_cast<Storage>(static_cast<Value>(body(i)));
    return;
  }
  alignas(64) Storage result[kWarpSize];
  for (int i = 0; i < kWarpSize; ++i) result[i] = static_cast<Storage>(static_cast<Value>(body(i)));
  blend(to, result, warp.active);
}

template <class T>
static inline typename T::value value_of(const typename T::storage* lanes, int i) {
  return static_cast<typename T::value>(lanes[i]);
}

// The handler of functor F: F::apply(values of the sources) for each lane.
template <class F, class D, class A>
const Instruction* lanewise(Warp& warp, const Instruction* at, Signature<D, A>) {
  const auto* a = lanes<A>(warp, at->operand[1]);
  for_lanes<D>(warp, at->operand[0], [=](int i) { return F::apply(value_of<A>(a, i)); });
  return at + 1;
}
template <class F, class D, class A, class B>
const Instruction* lanewise(Warp& warp, const Instruction* at, Signature<D, A, B>) {
  const auto* a = lanes<A>(warp, at->operand[1]);
  const auto* b = lanes<B>(warp, at->operand[2]);
  for_lanes<D>(warp, at->operand[0], [=](int i) { return F::apply(value_of<A>(a, i), value_of<B>(b, i)); });
  return at + 1;
}
template <class F, class D, class A, class B, class C>
const Instruction* lanewise(Warp& warp, const Instruction* at, Signature<D, A, B, C>) {
  const auto* a = lanes<A>(warp, at->operand[1]);
  const auto* b = lanes<B>(warp, at->operand[2]);
  const auto* c = lanes<C>(warp, at->operand[3]);
  for_lanes<D>(warp, at->operand[0],
               [=](int i) { return F::apply(value_of<A>(a, i), value_of<B>(b, i), value_of<C>(c, i)); });
  return at + 1;
}
template <class F, class D, class A, class B, class C, class E>
const Instruction* lanewise(Warp& warp, const Instruction* at, Signature<D, A, B, C, E>) {
  const auto* a = lanes<A>(warp, at->operand[1]);
  const auto* b = lanes<B>(warp, at->operand[2]);
  const auto* c = lanes<C>(warp, at->operand[3]);
  const auto* e = lanes<E>(warp, at->operand[4]);
  for_lanes<D>(warp, at->operand[0], [=](int i) {
    return F::apply(value_of<A>(a, i), value_of<B>(b, i), value_of<C>(c, i), value_of<E>(e, i));
  });
  return at + 1;
}
// Whether a lane holds a NaN.
static inline bool has_nan(const float* x) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask(_mm512_loadu_ps(x), _mm512_loadu_ps(x + 16), _CMP_UNORD_Q) != 0;
#elif defined(__AVX__)
  __m256 found = _mm256_setzero_ps();
  for (int i = 0; i < kWarpSize; i += 16)
    found =
        _mm256_or_ps(found, _mm256_cmp_ps(_mm256_loadu_ps(x + i), _mm256_loadu_ps(x + i + 8), _CMP_UNORD_Q));
  return _mm256_movemask_ps(found) != 0;
#else
  __m128 found = _mm_setzero_ps();
  for (int i = 0; i < kWarpSize; i += 8)
    found = _mm_or_ps(found, _mm_cmpunord_ps(_mm_loadu_ps(x + i), _mm_loadu_ps(x + i + 4)));
  return _mm_movemask_ps(found) != 0;
#endif
}

// Floats of a full warp are stored as the processor gives them, and looked at for a NaN behind that: a sum is
// a chain of such instructions, each of which waits for the one before.
template <class F, class Body>
static inline void for_lanes_settled(Warp& warp, std::uint32_t destination, Body body) {
  float* to = lanes<f32>(warp, destination);
#pragma GCC ivdep
  for (int i = 0; i < kWarpSize; ++i) to[i] = body(i);
  if (!has_nan(to)) [[likely]]
    return;
  for (int i = 0; i < kWarpSize; ++i) to[i] = F::settled(to[i]);
}
template <class F>
void lanewise_settled(Warp& warp, const Instruction* at, binary<f32>) {
  const float *a = lanes<f32>(warp, at->operand[1]), *b = lanes<f32>(warp, at->operand[2]);
  for_lanes_settled<F>(warp, at->operand[0], [=](int i) { return F::raw(a[i], b[i]); });
}
template <class F>
void lanewise_settled(Warp& warp, const Instruction* at, ternary<f32>) {
  const float *a = lanes<f32>(warp, at->operand[1]), *b = lanes<f32>(warp, at->operand[2]),
              *c = lanes<f32>(warp, at->operand[3]);
  for_lanes_settled<F>(warp, at->operand[0], [=](int i) { return F::raw(a[i], b[i], c[i]); });
}

template <class F, class S>
const Instruction* lanewise_handler(Warp& warp, const Instruction* at) {
  if constexpr (
      requires(float x) { F::raw(x); } && requires { lanewise_settled<F>(warp, at, S{}); }) {
    if (warp.active == kFullMask) [[likely]] {
      lanewise_settled<F>(warp, at, S{});
      return at + 1;
    }
  }
  return lanewise<F>(warp, at, S{});
}

}  // namespace warpgrade::isa::WARPGRADE_LANES
