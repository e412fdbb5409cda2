// Eight by eight results a thread, shared memory read as float4.
// Fits: any size.
#include "launch_shape.cuh"
constexpr int BLOCK = 64, DEPTH = 8, PER = 8, THREADS = BLOCK / PER * BLOCK / PER;
LAUNCH_SHAPE(THREADS, 1, BLOCK, BLOCK)

struct alignas(16) Line { float values[BLOCK]; };

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ Line a[DEPTH], b[DEPTH];
  const int id = threadIdx.x, left = id / (BLOCK / PER) * PER, top = id % (BLOCK / PER) * PER;
  const int row0 = blockIdx.y * BLOCK, column0 = blockIdx.x * BLOCK;
  float sums[PER][PER] = {};
  for (int first = 0; first < k; first += DEPTH) {
    for (int d = 0; d < DEPTH; ++d) {
      a[d].values[id] = row0 + id < m && first + d < k ? A[(row0 + id) * k + first + d] : 0.0f;
      b[d].values[id] = column0 + id < n && first + d < k ? B[(first + d) * n + column0 + id] : 0.0f;
    }
    __syncthreads();
    for (int d = 0; d < DEPTH; ++d) {
      const float4* pa = reinterpret_cast<const float4*>(&a[d].values[left]);
      const float4* pb = reinterpret_cast<const float4*>(&b[d].values[top]);
      const float4 a0 = pa[0], a1 = pa[1], b0 = pb[0], b1 = pb[1];
      const float x[PER] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
      const float y[PER] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
      for (int p = 0; p < PER; ++p)
#pragma unroll
        for (int q = 0; q < PER; ++q) sums[p][q] = fmaf(x[p], y[q], sums[p][q]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int p = 0; p < PER; ++p)
#pragma unroll
    for (int q = 0; q < PER; ++q)
      if (row0 + left + p < m && column0 + top + q < n) C[(row0 + left + p) * n + column0 + top + q] = sums[p][q];
}
