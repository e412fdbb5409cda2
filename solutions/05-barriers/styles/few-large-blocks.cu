// Blocks of two dimensions, and a grid of few blocks of 8,192 numbers each, whose ticket counts without
// wrapping.
#include "launch_shape.cuh"
#define FULL 0xffffffffu
LAUNCH_SHAPE_OF(tree_sums, 32, 8, 1, 1)
LAUNCH_SHAPE_OF(shuffle_sums, 32, 8, 1, 1)
LAUNCH_SHAPE_1D_OF(sum_all, 256, 8192)
extern "C" __global__ void tree_sums(const float* in, float* out, int n) {
  __shared__ float s[8][32];
  const int x = threadIdx.x, y = threadIdx.y;
  float v = 0;
  for (int r = y; r < 32; r += 8) {
    int i = blockIdx.x * 1024 + r * 32 + x;
    if (i < n) v += in[i];
  }
  s[y][x] = v;
  __syncthreads();
  for (int h = 4; h > 0; h >>= 1) {
    if (y < h) s[y][x] += s[y + h][x];
    __syncthreads();
  }
  for (int h = 16; h > 0; h >>= 1) {
    if (y == 0 && x < h) s[0][x] += s[0][x + h];
    __syncthreads();
  }
  if (x == 0 && y == 0) out[blockIdx.x] = s[0][0];
}
__device__ float lanes(float v) {
#pragma unroll
  for (int d = 16; d >= 1; d >>= 1) v += __shfl_xor_sync(FULL, v, d);
  return v;
}
extern "C" __global__ void shuffle_sums(const float* in, float* out, int n) {
  __shared__ float s[8];
  const int x = threadIdx.x, y = threadIdx.y;
  float v = 0;
  for (int r = y; r < 32; r += 8) {
    int i = blockIdx.x * 1024 + r * 32 + x;
    if (i < n) v += in[i];
  }
  v = lanes(v);
  if (x == 0) s[y] = v;
  __syncthreads();
  if (y == 0) {
    v = lanes(x < 8 ? s[x] : 0);
    if (x == 0) out[blockIdx.x] = v;
  }
}
__device__ float partial[32768];
__device__ int arrived;
extern "C" __global__ void sum_all(const float* in, float* out, int n) {
  __shared__ float s[8];
  __shared__ int last;
  const int lane = threadIdx.x & 31, w = threadIdx.x >> 5, base = blockIdx.x * 8192;
  float v = 0;
  if (base + 8192 <= n) {
    const float4* p = (const float4*)(in + base);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float4 f = p[k * 256 + threadIdx.x];
      v += f.x + f.y + f.z + f.w;
    }
  } else
    for (int i = base + threadIdx.x; i < n; i += 256) v += in[i];
  v = lanes(v);
  if (!lane) s[w] = v;
  __syncthreads();
  if (w == 0) v = lanes(lane < 8 ? s[lane] : 0);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = v;
    __threadfence();
    last = atomicAdd(&arrived, 1) == (int)gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  v = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += 256) v += ((volatile float*)partial)[i];
  v = lanes(v);
  if (!lane) s[w] = v;
  __syncthreads();
  if (w == 0) v = lanes(lane < 8 ? s[lane] : 0);
  if (threadIdx.x == 0) {
    *out = v;
    arrived = 0;
  }
}
