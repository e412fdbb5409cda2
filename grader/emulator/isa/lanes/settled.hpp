// f32 arithmetic of a full warp, with a fix-up pass for NaN results.
#pragma once

#include <immintrin.h>

#include "isa/functors/loop.hpp"

namespace warpgrade::isa::WARPGRADE_LANES {

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

// Stores the results of a full warp as the processor computes them, and checks for NaN afterwards. A sum is a
// chain of dependent instructions, so the check must not lengthen the chain.
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
void lanewise_settled(Warp& warp, const DecodedInstruction* at, binary<f32>) {
  const float *a = lanes<f32>(warp, at->operand[1]), *b = lanes<f32>(warp, at->operand[2]);
  for_lanes_settled<F>(warp, at->operand[0], [=](int i) { return F::raw(a[i], b[i]); });
}
template <class F>
void lanewise_settled(Warp& warp, const DecodedInstruction* at, ternary<f32>) {
  const float *a = lanes<f32>(warp, at->operand[1]), *b = lanes<f32>(warp, at->operand[2]),
              *c = lanes<f32>(warp, at->operand[3]);
  for_lanes_settled<F>(warp, at->operand[0], [=](int i) { return F::raw(a[i], b[i], c[i]); });
}

}  // namespace warpgrade::isa::WARPGRADE_LANES
