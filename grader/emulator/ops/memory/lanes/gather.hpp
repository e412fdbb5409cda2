// Loads from scattered addresses: to[i] = the value at base + address[i], for each lane i in `mask`.
//
// Results are stored as whole vectors if the processor can gather: it cannot forward several narrow stores to
// one wide load, so a vector load after lane-by-lane stores would stall.
#pragma once

#include <immintrin.h>

#include <cstring>

#include "machine/warp.hpp"

namespace warpgrade::emulator::WARPGRADE_LANES {

template <class T, class A>
inline void gather_one_by_one(T* to, std::uint64_t base, const A* address, std::uint32_t mask) {
  for (; mask != 0; mask &= mask - 1) {
    const int i = __builtin_ctz(mask);
    std::memcpy(to + i, reinterpret_cast<const void*>(base + address[i]), sizeof(T));
  }
}

#if defined(__AVX512F__)

template <class T, class A>
inline void gather_lanes(T* to, std::uint64_t base, const A* address, std::uint32_t mask) {
  constexpr int kStep = 64 / sizeof(T);
  // Gather instructions treat 32-bit offsets as signed. Offsets in shared memory are always below 2^31.
  for (int i = 0; i < kWarpSize; i += kStep) {
    [[maybe_unused]] const __m512i old = _mm512_loadu_si512(to + i);
    const auto* from = reinterpret_cast<const void*>(base);
    __m512i all;
    if constexpr (sizeof(T) == 8 && sizeof(A) == 8) {
      all = _mm512_mask_i64gather_epi64(old, static_cast<__mmask8>(mask >> i),
                                        _mm512_loadu_si512(address + i), from, 1);
    } else if constexpr (sizeof(T) == 8) {
      const __m256i offset = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(address + i));
      all = _mm512_mask_i32gather_epi64(old, static_cast<__mmask8>(mask >> i), offset, from, 1);
    } else if constexpr (sizeof(A) == 4) {
      all = _mm512_mask_i32gather_epi32(old, static_cast<__mmask16>(mask >> i),
                                        _mm512_loadu_si512(address + i), from, 1);
    } else {
      // One store of 64 bytes: two stores of 32 bytes could not be forwarded to one load of 64.
      const auto half = [&](int first) {
        return _mm512_mask_i64gather_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(to + first)),
                                           static_cast<__mmask8>(mask >> first),
                                           _mm512_loadu_si512(address + first), from, 1);
      };
      all = _mm512_maskz_inserti64x4(0xff, _mm512_castsi256_si512(half(i)), half(i + 8), 1);
    }
    _mm512_storeu_si512(to + i, all);
  }
}

#else

template <class T, class A>
inline void gather_lanes(T* to, std::uint64_t base, const A* address, std::uint32_t mask) {
  gather_one_by_one(to, base, address, mask);
}

#endif

}  // namespace warpgrade::emulator::WARPGRADE_LANES
