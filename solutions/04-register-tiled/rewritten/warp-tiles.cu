// styles/warp-tiles.cu rewritten from scratch, as a copyist would.
#include "launch_shape.cuh"
#define SPAN 128
#define STEP 16
#define PITCH (SPAN + 4)
LAUNCH_SHAPE(256, 1, SPAN, SPAN)

struct Eight {
  float4 low, high;
};

__device__ Eight pick(const float* line, int at, int apart) {
  Eight e;
  e.low = *(const float4*)(line + at);
  e.high = *(const float4*)(line + at + apart);
  return e;
}

__device__ void spread(const Eight& e, float* to) {
  to[0] = e.low.x;
  to[1] = e.low.y;
  to[2] = e.low.z;
  to[3] = e.low.w;
  to[4] = e.high.x;
  to[5] = e.high.y;
  to[6] = e.high.z;
  to[7] = e.high.w;
}

extern "C" __global__ void __launch_bounds__(256)
    matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ alignas(16) float left[STEP * PITCH];
  __shared__ alignas(16) float right[STEP * SPAN];
  const int me = threadIdx.x, my_warp = me >> 5, my_lane = me & 31;
  const int y0 = blockIdx.y * SPAN, x0 = blockIdx.x * SPAN;
  const int my_y = (my_warp >> 1) * 32 + (my_lane >> 3) * 4;
  const int my_x = (my_warp & 1) * 64 + (my_lane & 7) * 4;
  float acc[64];
#pragma unroll
  for (int z = 0; z < 64; ++z) acc[z] = 0.0f;
  int done = 0;
  while (done < k) {
#pragma unroll
    for (int part = 0; part < 8; ++part) {
      const int slot = part * 256 + me;
      const int y = y0 + (slot >> 4), x = done + (slot & 15);
      float v = 0.0f;
      if (y < m)
        if (x < k) v = A[y * k + x];
      left[(slot & 15) * PITCH + (slot >> 4)] = v;
      const int yy = done + (slot >> 7), xx = x0 + (slot & 127);
      float w = 0.0f;
      if (yy < k)
        if (xx < n) w = B[yy * n + xx];
      right[slot] = w;
    }
    __syncthreads();
#pragma unroll
    for (int s = 0; s < STEP; ++s) {
      float p[8], q[8];
      spread(pick(left + s * PITCH, my_y, 16), p);
      spread(pick(right + s * SPAN, my_x, 32), q);
#pragma unroll
      for (int j = 0; j < 8; ++j)
#pragma unroll
        for (int i = 0; i < 8; ++i) acc[j * 8 + i] = fmaf(q[j], p[i], acc[j * 8 + i]);
    }
    __syncthreads();
    done += STEP;
  }
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const int x = x0 + my_x + (j & 3) + (j >> 2) * 32;
    if (x >= n) continue;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int y = y0 + my_y + (i & 3) + (i >> 2) * 16;
      if (y < m) C[y * n + x] = acc[j * 8 + i];
    }
  }
}
