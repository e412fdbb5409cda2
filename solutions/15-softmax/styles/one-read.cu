// Short rows in registers, read once, scores transposed in shared memory, two passes over the keys. Loses: performance.
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D_OF(softmax_passes, 64, 1)
LAUNCH_SHAPE_1D_OF(softmax_online, 256, 1)
LAUNCH_SHAPE_OF(attention_tiles, 32, 8, 64, 32)

struct Pair {
  float m, s;
};
__device__ Pair join(Pair a, Pair b) {
  if (a.m < b.m) {
    const Pair t = a;
    a = b;
    b = t;
  }
  return b.s == 0 ? a : Pair{a.m, a.s + b.s * expf(b.m - a.m)};
}
template <int T>
__device__ Pair of_block(Pair p) {
  __shared__ Pair tree[T];
  tree[threadIdx.x] = p;
  __syncthreads();
  for (int half = T / 2; half; half /= 2) {
    if (threadIdx.x < half) tree[threadIdx.x] = join(tree[threadIdx.x], tree[threadIdx.x + half]);
    __syncthreads();
  }
  return tree[0];
}
__device__ Pair pair_of(float v) { return {v, v == -INFINITY ? 0.0f : 1.0f}; }

extern "C" __global__ void softmax_passes(const float* x, float* y, int rows, int columns) {
  const size_t at = (size_t)blockIdx.x * columns;
  Pair p{-INFINITY, 0};
  for (int c = threadIdx.x; c < columns; c += 64) p = join(p, pair_of(x[at + c]));
  p = of_block<64>(p);
  for (int c = threadIdx.x; c < columns; c += 64) y[at + c] = expf(x[at + c] - p.m) / p.s;
}

extern "C" __global__ void softmax_online(const float* x, float* y, int rows, int columns) {
  const size_t at = (size_t)blockIdx.x * columns;
  constexpr int KEPT = 8;
  float kept[KEPT];
  Pair p{-INFINITY, 0};
#pragma unroll
  for (int i = 0; i < KEPT; ++i) {
    const int c = threadIdx.x + i * 256;
    kept[i] = c < columns ? x[at + c] : -INFINITY;
    p = join(p, pair_of(kept[i]));
  }
  for (int c = threadIdx.x + KEPT * 256; c < columns; c += 256) p = join(p, pair_of(x[at + c]));
  p = of_block<256>(p);
#pragma unroll
  for (int i = 0; i < KEPT; ++i)
    if (threadIdx.x + i * 256 < columns) y[at + threadIdx.x + i * 256] = expf(kept[i] - p.m) / p.s;
  for (int c = threadIdx.x + KEPT * 256; c < columns; c += 256) y[at + c] = expf(x[at + c] - p.m) / p.s;
}

// First the largest score and the sum of each query, then the results: nothing is ever rescaled but sums.
extern "C" __global__ void attention_tiles(const float* Q, const float* K, const float* V, float* O, int queries, int keys) {
  __shared__ float q[64][33], k[64][33], w[32][33], v[32][64];
  const int x = threadIdx.x, y = threadIdx.y, t = y * 32 + x, first_query = blockIdx.y * 32;
  for (int e = t; e < 2048; e += 256) q[e % 64][e / 64] = first_query + e / 64 < queries ? Q[(size_t)first_query * 64 + e] : 0;
  float best[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY}, sum[4] = {}, o[8] = {};
  for (int pass = 0; pass < 2; ++pass) {
    for (int first = 0; first < keys; first += 32) {
      __syncthreads();
      for (int e = t; e < 2048; e += 256) {
        const bool is = first + e / 64 < keys;
        k[e % 64][e / 64] = is ? K[(size_t)first * 64 + e] : 0;
        if (pass) v[e / 64][e % 64] = is ? V[(size_t)first * 64 + e] : 0;
      }
      __syncthreads();
      float s[4] = {};  // key x, queries 4 y to 4 y + 3
      for (int d = 0; d < 64; ++d)
        for (int i = 0; i < 4; ++i) s[i] += q[d][4 * y + i] * k[d][x];
      for (int i = 0; i < 4; ++i) {
        const float score = first + x < keys ? s[i] * 0.125f : -INFINITY;
        if (pass) {
          w[4 * y + i][x] = expf(score - best[i]) / sum[i];
          continue;
        }
        float larger = fmaxf(best[i], score);
        for (int step = 1; step < 32; step *= 2) larger = fmaxf(larger, __shfl_xor_sync(~0u, larger, step));
        float more = expf(score - larger);
        for (int step = 1; step < 32; step *= 2) more += __shfl_xor_sync(~0u, more, step);
        sum[i] = sum[i] * expf(best[i] - larger) + more;
        best[i] = larger;
      }
      if (!pass) continue;
      __syncwarp();
      for (int key = 0; key < 32; ++key) {
        const float a = v[key][x], b = v[key][x + 32];
        for (int i = 0; i < 4; ++i) {
          o[i] += w[4 * y + i][key] * a;
          o[i + 4] += w[4 * y + i][key] * b;
        }
      }
    }
  }
  for (int i = 0; i < 4; ++i)
    if (first_query + 4 * y + i < queries) {
      O[(size_t)(first_query + 4 * y + i) * 64 + x] = o[i];
      O[(size_t)(first_query + 4 * y + i) * 64 + x + 32] = o[i + 4];
    }
}
