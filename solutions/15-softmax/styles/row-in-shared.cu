// The row in shared memory where it fits; attention with a warp for each query and tiles of 32 keys. Loses: reuse, performance.
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D_OF(softmax_passes, 128, 1)
LAUNCH_SHAPE_1D_OF(softmax_online, 256, 1)
LAUNCH_SHAPE_OF(attention_tiles, 32, 16, 64, 16)
#define ALL 0xffffffffu

__device__ float warp_max(float v) {
  for (int s = 16; s; s >>= 1) v = fmaxf(v, __shfl_xor_sync(ALL, v, s));
  return v;
}
__device__ float warp_sum(float v) {
  for (int s = 16; s; s >>= 1) v += __shfl_xor_sync(ALL, v, s);
  return v;
}

template <int T>
__device__ float block(float v, bool is_max) {
  __shared__ float s[T / 32];
  v = is_max ? warp_max(v) : warp_sum(v);
  __syncthreads();
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  const int l = threadIdx.x % 32;
  v = l < T / 32 ? s[l] : is_max ? -INFINITY : 0.0f;
  return is_max ? warp_max(v) : warp_sum(v);
}

extern "C" __global__ void softmax_passes(const float* x, float* y, int rows, int columns) {
  const float* r = x + (size_t)blockIdx.x * columns;
  float m = -INFINITY, s = 0;
  for (int c = threadIdx.x; c < columns; c += 128) m = fmaxf(m, r[c]);
  m = block<128>(m, true);
  for (int c = threadIdx.x; c < columns; c += 128) s += expf(r[c] - m);
  s = block<128>(s, false);
  for (int c = threadIdx.x; c < columns; c += 128) y[(size_t)blockIdx.x * columns + c] = expf(r[c] - m) / s;
}

extern "C" __global__ void softmax_online(const float* x, float* y, int rows, int columns) {
  constexpr int FIT = 8192;
  __shared__ float row[FIT];
  const float* r = x + (size_t)blockIdx.x * columns;
  float* w = y + (size_t)blockIdx.x * columns;
  float m = -INFINITY, s = 0;
  if (columns <= FIT) {
    for (int c = threadIdx.x; c < columns; c += 256) m = fmaxf(m, row[c] = r[c]);
    m = block<256>(m, true);
    for (int c = threadIdx.x; c < columns; c += 256) s += row[c] = expf(row[c] - m);
    s = block<256>(s, false);
    for (int c = threadIdx.x; c < columns; c += 256) w[c] = row[c] / s;
    return;
  }
  for (int c = threadIdx.x; c < columns; c += 256) {
    const float v = r[c], n = fmaxf(m, v);
    if (n > -INFINITY) s = s * expf(m - n) + expf(v - n);
    m = n;
  }
  const float all = block<256>(m, true);
  s = block<256>(m > -INFINITY ? s * expf(m - all) : 0.0f, false);
  for (int c = threadIdx.x; c < columns; c += 256) w[c] = expf(r[c] - all) / s;
}

extern "C" __global__ void attention_tiles(const float* Q, const float* K, const float* V, float* O, int queries, int keys) {
  __shared__ float q[16][64], k[32][65], v[32][64];
  const int l = threadIdx.x, w = threadIdx.y, query = blockIdx.y * 16 + w, t = w * 32 + l;
  if (query < queries)
    for (int d = l; d < 64; d += 32) q[w][d] = Q[(size_t)query * 64 + d];
  float m = -INFINITY, s = 0, o0 = 0, o1 = 0;
  for (int first = 0; first < keys; first += 32) {
    __syncthreads();
    for (int e = t; e < 32 * 64; e += 512)
      if (first + e / 64 < keys) {
        k[e / 64][e % 64] = K[(size_t)first * 64 + e];
        v[e / 64][e % 64] = V[(size_t)first * 64 + e];
      }
    __syncthreads();
    if (query >= queries) continue;
    const int here = min(32, keys - first);
    float score = -INFINITY;
    if (l < here) {
      score = 0;
      for (int d = 0; d < 64; ++d) score += q[w][d] * k[l][d];
      score /= 8;
    }
    const float n = fmaxf(m, warp_max(score)), scale = expf(m - n), p = expf(score - n);
    s = s * scale + warp_sum(p);
    o0 *= scale;
    o1 *= scale;
    for (int j = 0; j < here; ++j) {
      const float pj = __shfl_sync(ALL, p, j);
      o0 += pj * v[j][l];
      o1 += pj * v[j][l + 32];
    }
    m = n;
  }
  if (query < queries) {
    O[(size_t)query * 64 + l] = o0 / s;
    O[(size_t)query * 64 + l + 32] = o1 / s;
  }
}
