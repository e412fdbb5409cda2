// How a one-line functor becomes a handler: the loop over the 32 lanes of a warp.
//
// Written so that GCC turns it into vector code: no branch in the body, the mask applied by a blend.
// Everything is in the variant's own namespace, and nothing from the standard library that has code of its
// own is used, so that code for a newer processor cannot end up in the variant for an older one.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "isa/functors/signature.hpp"

// The processor's floating-point exception flags are never read, so comparisons need not keep their branches.
#pragma GCC optimize("no-trapping-math")

namespace warpgrade::isa::WARPGRADE_LANES {

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

#if defined(__AVX512BW__)
// Stores whole vectors: the processor does not forward a masked store to the next load, which waits for it.
template <class S>
static inline void blend_vectors(S* to, const S* from, std::uint32_t mask) {
  constexpr int kStep = 64 / sizeof(S);
  for (int i = 0; i < kWarpSize; i += kStep) {
    const __m512i no = _mm512_loadu_si512(to + i), yes = _mm512_loadu_si512(from + i);
    __m512i mixed;
    if constexpr (sizeof(S) == 2)
      mixed = _mm512_mask_mov_epi16(no, mask, yes);
    else if constexpr (sizeof(S) == 4)
      mixed = _mm512_mask_mov_epi32(no, static_cast<__mmask16>(mask >> i), yes);
    else
      mixed = _mm512_mask_mov_epi64(no, static_cast<__mmask8>(mask >> i), yes);
    asm("" : "+v"(mixed));  // or GCC would make a masked store of it
    _mm512_storeu_si512(to + i, mixed);
  }
}
#endif

// to[i] = from[i] for the lanes in `mask`. Loads both values for every lane, because GCC then blends them;
// otherwise it would use masked loads, which are slower.
template <class S>
static inline void blend(S* to, const S* from, std::uint32_t mask) {
#if defined(__AVX512BW__)
  if constexpr (sizeof(S) <= 8) return blend_vectors(to, from, mask);
#endif
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
const DecodedInstruction* lanewise(Warp& warp, const DecodedInstruction* at, Signature<D, A>) {
  const auto* a = lanes<A>(warp, at->operand[1]);
  for_lanes<D>(warp, at->operand[0], [=](int i) { return F::apply(value_of<A>(a, i)); });
  return at + 1;
}
template <class F, class D, class A, class B>
const DecodedInstruction* lanewise(Warp& warp, const DecodedInstruction* at, Signature<D, A, B>) {
  const auto* a = lanes<A>(warp, at->operand[1]);
  const auto* b = lanes<B>(warp, at->operand[2]);
  for_lanes<D>(warp, at->operand[0], [=](int i) { return F::apply(value_of<A>(a, i), value_of<B>(b, i)); });
  return at + 1;
}
template <class F, class D, class A, class B, class C>
const DecodedInstruction* lanewise(Warp& warp, const DecodedInstruction* at, Signature<D, A, B, C>) {
  const auto* a = lanes<A>(warp, at->operand[1]);
  const auto* b = lanes<B>(warp, at->operand[2]);
  const auto* c = lanes<C>(warp, at->operand[3]);
  for_lanes<D>(warp, at->operand[0],
               [=](int i) { return F::apply(value_of<A>(a, i), value_of<B>(b, i), value_of<C>(c, i)); });
  return at + 1;
}
template <class F, class D, class A, class B, class C, class E>
const DecodedInstruction* lanewise(Warp& warp, const DecodedInstruction* at, Signature<D, A, B, C, E>) {
  const auto* a = lanes<A>(warp, at->operand[1]);
  const auto* b = lanes<B>(warp, at->operand[2]);
  const auto* c = lanes<C>(warp, at->operand[3]);
  const auto* e = lanes<E>(warp, at->operand[4]);
  for_lanes<D>(warp, at->operand[0], [=](int i) {
    return F::apply(value_of<A>(a, i), value_of<B>(b, i), value_of<C>(c, i), value_of<E>(e, i));
  });
  return at + 1;
}

}  // namespace warpgrade::isa::WARPGRADE_LANES
