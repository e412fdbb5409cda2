// styles/row-in-shared.cu rewritten from scratch, as a copyist would.
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D_OF(softmax_passes, 128, 1)
LAUNCH_SHAPE_1D_OF(softmax_online, 256, 1)
LAUNCH_SHAPE_OF(attention_tiles, 32, 16, 64, 16)

struct Max { static __device__ float id() { return -INFINITY; } __device__ float operator()(float a, float b) const { return a > b ? a : b; } };
struct Add { static __device__ float id() { return 0.f; } __device__ float operator()(float a, float b) const { return a + b; } };

template <class Op>
__device__ float lanes(float mine, Op op) {
  mine = op(mine, __shfl_xor_sync(0xffffffffu, mine, 16));
  mine = op(mine, __shfl_xor_sync(0xffffffffu, mine, 8));
  mine = op(mine, __shfl_xor_sync(0xffffffffu, mine, 4));
  mine = op(mine, __shfl_xor_sync(0xffffffffu, mine, 2));
  return op(mine, __shfl_xor_sync(0xffffffffu, mine, 1));
}

template <class Op, int WARPS>
__device__ float everyone(float mine, float (&box)[WARPS]) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  Op op;
  const float part = lanes(mine, op);
  __syncthreads();
  if (!lane) box[warp] = part;
  __syncthreads();
  return lanes(lane < WARPS ? box[lane] : Op::id(), op);
}

extern "C" __global__ void softmax_passes(const float* x, float* y, int rows, int columns) {
  __shared__ float box[4];
  x += (size_t)columns * blockIdx.x;
  y += (size_t)columns * blockIdx.x;
  const int n = (columns - (int)threadIdx.x + 127) / 128;
  float top = -INFINITY, den = 0.f;
  for (int i = 0; i < n; i++) top = Max()(top, x[threadIdx.x + (i << 7)]);
  top = everyone<Max>(top, box);
  for (int i = n - 1; i >= 0; i--) den += expf(x[threadIdx.x + (i << 7)] - top);
  den = everyone<Add>(den, box);
  for (int i = 0; i < n; i++) {
    const int c = threadIdx.x + (i << 7);
    y[c] = expf(x[c] - top) / den;
  }
}

__device__ void cached(const float* in, float* out, float* buf, float* box_, int columns) {
  float(&box)[8] = *(float(*)[8])box_;
  float top = -INFINITY, den = 0.f;
  int c = threadIdx.x;
  while (c < columns) {
    const float v = in[c];
    buf[c] = v;
    top = v > top ? v : top;
    c += 256;
  }
  top = everyone<Max>(top, box);
  c = threadIdx.x;
  while (c < columns) {
    const float e = expf(buf[c] - top);
    den += e;
    buf[c] = e;
    c += 256;
  }
  den = everyone<Add>(den, box);
  c = threadIdx.x;
  while (c < columns) {
    out[c] = buf[c] / den;
    c += 256;
  }
}

extern "C" __global__ void softmax_online(const float* x, float* y, int rows, int columns) {
  __shared__ float buf[8 << 10];
  __shared__ float box[8];
  const size_t skip = (size_t)columns * blockIdx.x;
  if (!(columns > 8192)) {
    cached(x + skip, y + skip, buf, box, columns);
  } else {
    float top = -INFINITY, den = 0.f;
    int c = threadIdx.x;
    do {
      const float v = x[skip + c];
      const float hi = v > top ? v : top;
      if (hi != -INFINITY) den = expf(v - hi) + expf(top - hi) * den;
      top = hi;
      c += 256;
    } while (c < columns);
    const float hi = everyone<Max>(top, box);
    float part = 0.f;
    if (top != -INFINITY) part = expf(top - hi) * den;
    den = everyone<Add>(part, box);
    for (c = threadIdx.x; c < columns; c += 256) y[skip + c] = expf(x[skip + c] - hi) / den;
  }
}

extern "C" __global__ void attention_tiles(const float* Q, const float* K, const float* V, float* O, int queries, int keys) {
  __shared__ float qs[16 * 64], ks[32 * 65], vs[32 * 64];
  const int lane = threadIdx.x, warp = threadIdx.y, mine = warp + (blockIdx.y << 4);
  const bool real = mine < queries;
  if (real) {
    qs[warp * 64 + lane] = Q[(size_t)mine * 64 + lane];
    qs[warp * 64 + lane + 32] = Q[(size_t)mine * 64 + lane + 32];
  }
  float top = -INFINITY, den = 0.f, lo = 0.f, hi = 0.f;
  int left = keys;
  const float *pk = K, *pv = V;
  while (left > 0) {
    __syncthreads();
    int e = lane + (warp << 5);
#pragma unroll
    for (int r = 0; r < 4; r++, e += 512) {
      const int key = e >> 6, col = e & 63;
      if (key >= left) continue;
      ks[key * 65 + col] = pk[e];
      vs[e] = pv[e];
    }
    __syncthreads();
    if (real) {
      const int here = left < 32 ? left : 32;
      float dot = -INFINITY;
      if (here > lane) {
        dot = 0.f;
        const float *a = qs + warp * 64, *b = ks + lane * 65;
        for (int d = 64; d > 0; d--) dot = fmaf(*a++, *b++, dot);
        dot *= 0.125f;
      }
      const float all = lanes(dot, Max());
      const float next = all > top ? all : top;
      const float w = expf(dot - next), keep = expf(top - next);
      top = next;
      den = lanes(w, Add()) + keep * den;
      lo = keep * lo;
      hi = keep * hi;
      const float* col = vs + lane;
      for (int j = 0; j < here; j++, col += 64) {
        const float wj = __shfl_sync(0xffffffffu, w, j);
        hi = fmaf(wj, col[32], hi);
        lo = fmaf(wj, col[0], lo);
      }
    }
    left -= 32;
    pk += 32 * 64;
    pv += 32 * 64;
  }
  if (!real) return;
  float* out = O + (size_t)mine * 64 + lane;
  out[32] = hi / den;
  out[0] = lo / den;
}
