// styles/one-read.cu rewritten from scratch, as a copyist would.
#include "launch_shape.cuh"
#define NEG (-INFINITY)
LAUNCH_SHAPE_1D_OF(softmax_passes, 64, 1)
LAUNCH_SHAPE_1D_OF(softmax_online, 256, 1)
LAUNCH_SHAPE_OF(attention_tiles, 32, 8, 64, 32)

__device__ static void merge(float& m, float& s, float m2, float s2) {
  const float hi = m < m2 ? m2 : m, lo = m < m2 ? m : m2;
  const float big = m < m2 ? s2 : s, small = m < m2 ? s : s2;
  m = hi;
  s = big;
  if (small != 0.f) s = big + small * expf(lo - hi);
}

__device__ static void feed(float& m, float& s, float v) {
  float one = 1.f;
  if (v == NEG) one = 0.f;
  merge(m, s, v, one);
}

__device__ static void whole(float& m, float& s, float* ms, float* ss, int threads) {
  const int me = threadIdx.x;
  ms[me] = m;
  ss[me] = s;
  __syncthreads();
  while ((threads >>= 1) > 0) {
    if (me < threads) {
      float a = ms[me], b = ss[me];
      merge(a, b, ms[threads + me], ss[threads + me]);
      ms[me] = a;
      ss[me] = b;
    }
    __syncthreads();
  }
  m = ms[0];
  s = ss[0];
}

extern "C" __global__ void softmax_passes(const float* x, float* y, int rows, int columns) {
  __shared__ float ms[64], ss[64];
  const float* in = x + (size_t)columns * blockIdx.x;
  float* out = y + (size_t)columns * blockIdx.x;
  float m = NEG, s = 0.f;
  int c = threadIdx.x;
  while (c < columns) {
    feed(m, s, in[c]);
    c += 64;
  }
  whole(m, s, ms, ss, 64);
  c = threadIdx.x;
  while (c < columns) {
    out[c] = expf(in[c] - m) / s;
    c += 64;
  }
}

extern "C" __global__ void softmax_online(const float* x, float* y, int rows, int columns) {
  __shared__ float ms[256], ss[256];
  const float* in = x + (size_t)columns * blockIdx.x;
  float* out = y + (size_t)columns * blockIdx.x;
  float hold[8], m = NEG, s = 0.f;
  const int me = threadIdx.x;
#pragma unroll
  for (int h = 7; h >= 0; h--) {
    hold[h] = NEG;
    if (me + (h << 8) < columns) hold[h] = in[me + (h << 8)];
    feed(m, s, hold[h]);
  }
  int c = 2048 + me;
  while (c < columns) {
    feed(m, s, in[c]);
    c += 256;
  }
  whole(m, s, ms, ss, 256);
  for (c = 2048 + me; c < columns; c += 256) out[c] = expf(in[c] - m) / s;
#pragma unroll
  for (int h = 0; h < 8; h++) {
    c = me + (h << 8);
    if (c < columns) out[c] = expf(hold[h] - m) / s;
  }
}

#define SPAN 33
__device__ static void tile_in(float* flipped, float* straight, const float* M, int at, int limit, int id) {
  for (int r = id >> 6; r < 32; r += 4) {
    const int c = id & 63;
    const float v = r + at < limit ? M[(size_t)(r + at) * 64 + c] : 0.f;
    if (flipped) flipped[c * SPAN + r] = v;
    if (straight) straight[r * 64 + c] = v;
  }
}

extern "C" __global__ void attention_tiles(const float* Q, const float* K, const float* V, float* O, int queries, int keys) {
  __shared__ float qs[64 * SPAN], ks[64 * SPAN], ws[32 * SPAN], vs[32 * 64];
  const int lane = threadIdx.x, grp = threadIdx.y << 2, id = threadIdx.x + (threadIdx.y << 5);
  const int q0 = blockIdx.y << 5;
  tile_in(qs, nullptr, Q, q0, queries, id);
  float top[4], den[4], left[4], right[4];
  for (int i = 0; i < 4; i++) {
    top[i] = NEG;
    den[i] = left[i] = right[i] = 0.f;
  }
  for (int k0 = 0; k0 < keys; k0 += 32) {
    __syncthreads();
    tile_in(ks, nullptr, K, k0, keys, id);
    __syncthreads();
    for (int i = 0; i < 4; i++) {
      float dot = 0.f;
      for (int d = 0; d < 64; d++) dot = fmaf(ks[d * SPAN + lane], qs[d * SPAN + grp + i], dot);
      dot = lane + k0 < keys ? dot / 8 : NEG;
      float hi = fmaxf(dot, top[i]);
      for (int by = 16; by; by >>= 1) hi = fmaxf(hi, __shfl_xor_sync(0xffffffffu, hi, by));
      float e = expf(dot - hi);
      for (int by = 16; by; by >>= 1) e += __shfl_xor_sync(0xffffffffu, e, by);
      den[i] = e + den[i] * expf(top[i] - hi);
      top[i] = hi;
    }
  }
  for (int k0 = 0; k0 < keys; k0 += 32) {
    __syncthreads();
    tile_in(ks, nullptr, K, k0, keys, id);
    tile_in(nullptr, vs, V, k0, keys, id);
    __syncthreads();
    for (int i = 0; i < 4; i++) {
      float dot = 0.f;
      for (int d = 0; d < 64; d++) dot = fmaf(ks[d * SPAN + lane], qs[d * SPAN + grp + i], dot);
      dot = lane + k0 < keys ? dot / 8 : NEG;
      ws[(grp + i) * SPAN + lane] = expf(dot - top[i]) / den[i];
    }
    __syncwarp();
    for (int j = 0; j < 32; j++)
      for (int i = 0; i < 4; i++) {
        const float w = ws[(grp + i) * SPAN + j];
        left[i] = fmaf(w, vs[j * 64 + lane], left[i]);
        right[i] = fmaf(w, vs[j * 64 + 32 + lane], right[i]);
      }
  }
  float* out = O + (size_t)(q0 + grp) * 64 + lane;
  for (int i = 0; i < 4; i++, out += 64) {
    if (q0 + grp + i >= queries) break;
    out[0] = left[i];
    out[32] = right[i];
  }
}
