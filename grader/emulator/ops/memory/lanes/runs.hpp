// Detects numbers in even steps in the 16 lanes of half a warp: with a 16-wide tile, each half is a row.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "machine/warp.hpp"

namespace warpgrade::emulator::WARPGRADE_LANES {

constexpr int kHalf = kWarpSize / 2;

// number[i] = number[0] + i·step; a step is below 2^32.
template <class A>
inline bool is_run(const A* number, A step) {
  const A first = number[0];
#if defined(__AVX512F__)
  // Comparison masks, because GCC compiles the portable loop below to a horizontal reduction in several
  // steps.
  if constexpr (sizeof(A) == 4) {
    const __m512i order = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i steps = _mm512_mullo_epi32(order, _mm512_set1_epi32(static_cast<int>(step)));
    const __m512i run = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(first)), steps);
    return _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(number), run) == 0;
  } else {
    const __m512i order = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i steps =
        _mm512_maskz_mul_epu32(0xff, order, _mm512_set1_epi64(static_cast<long long>(step)));
    const __m512i low = _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(first)), steps);
    const __m512i high = _mm512_add_epi64(low, _mm512_set1_epi64(static_cast<long long>(8 * step)));
    return (_mm512_cmpneq_epi64_mask(_mm512_loadu_si512(number), low) |
            _mm512_cmpneq_epi64_mask(_mm512_loadu_si512(number + 8), high)) == 0;
  }
#else
  A differs = 0;
  for (int i = 0; i < kHalf; ++i) differs |= number[i] ^ (first + static_cast<A>(i) * step);
  return differs == 0;
#endif
}

}  // namespace warpgrade::emulator::WARPGRADE_LANES
