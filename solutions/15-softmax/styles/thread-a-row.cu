// The simplest right kernels: a thread for each row and each query. Loses: coalesced, tiles, reuse, performance.
#include "launch_shape.cuh"
LAUNCH_SHAPE_1D_OF(softmax_passes, 32, 32)
LAUNCH_SHAPE_1D_OF(softmax_online, 32, 32)
LAUNCH_SHAPE_OF(attention_tiles, 1, 32, 64, 32)

extern "C" __global__ void softmax_passes(const float* x, float* y, int rows, int columns) {
  int r = blockIdx.x * 32 + threadIdx.x;
  if (r >= rows) return;
  float most = x[(size_t)r * columns];
  for (int c = 1; c < columns; c++) most = max(most, x[(size_t)r * columns + c]);
  float sum = 0;
  for (int c = 0; c < columns; c++) sum += expf(x[(size_t)r * columns + c] - most);
  for (int c = 0; c < columns; c++) y[(size_t)r * columns + c] = expf(x[(size_t)r * columns + c] - most) / sum;
}

extern "C" __global__ void softmax_online(const float* x, float* y, int rows, int columns) {
  int r = blockIdx.x * 32 + threadIdx.x;
  if (r >= rows) return;
  double sum = 0;
  float most = -INFINITY;
  for (int c = 0; c < columns; c++) {
    float v = x[(size_t)r * columns + c];
    if (v == -INFINITY) continue;
    if (v > most) {
      sum *= exp((double)most - v);
      most = v;
    }
    sum += expf(v - most);
  }
  for (int c = 0; c < columns; c++) y[(size_t)r * columns + c] = expf(x[(size_t)r * columns + c] - most) / (float)sum;
}

extern "C" __global__ void attention_tiles(const float* Q, const float* K, const float* V, float* O, int queries, int keys) {
  int r = blockIdx.y * 32 + threadIdx.y;
  if (r >= queries) return;
  float most = -INFINITY, sum = 0, o[64] = {};
  for (int key = 0; key < keys; key++) {
    float s = 0;
    for (int d = 0; d < 64; d++) s += Q[r * 64 + d] * K[key * 64 + d];
    s /= sqrtf(64);
    float before = most;
    most = fmaxf(most, s);
    float scale = expf(before - most), p = expf(s - most);
    sum = sum * scale + p;
#pragma unroll
    for (int d = 0; d < 64; d++) o[d] = o[d] * scale + p * V[key * 64 + d];
  }
#pragma unroll
  for (int d = 0; d < 64; d++) O[r * 64 + d] = o[d] / sum;
}
