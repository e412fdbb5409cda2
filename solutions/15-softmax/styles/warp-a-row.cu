// A warp for each row, exp2f, no shared memory; attention without tiles. Loses: tiles, performance.
#include "launch_shape.cuh"
LAUNCH_SHAPE_OF(softmax_passes, 32, 4, 1, 4)
LAUNCH_SHAPE_1D_OF(softmax_online, 64, 2)
LAUNCH_SHAPE_OF(attention_tiles, 64, 2, 64, 2)
constexpr float LOG2E = 1.4426950408889634f;

extern "C" __global__ void softmax_passes(const float* x, float* y, int rows, int columns) {
  // The grid has a block for each four of `rows` columns of nothing: one dimension of it counts.
  for (int row = blockIdx.x * 4 + threadIdx.y; row < rows; row += gridDim.x * 4) {
    const float* from = x + (long long)row * columns;
    float largest = -INFINITY, sum = 0;
    for (int c = threadIdx.x; c < columns; c += 32) largest = fmaxf(largest, from[c]);
    for (int lane = 16; lane > 0; lane /= 2) largest = fmaxf(largest, __shfl_down_sync(~0u, largest, lane));
    largest = __shfl_sync(~0u, largest, 0);
    for (int c = threadIdx.x; c < columns; c += 32) sum += exp2f((from[c] - largest) * LOG2E);
    for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_down_sync(~0u, sum, lane);
    sum = __shfl_sync(~0u, sum, 0);
    for (int c = threadIdx.x; c < columns; c += 32) y[(long long)row * columns + c] = exp2f((from[c] - largest) * LOG2E) / sum;
  }
}

extern "C" __global__ void softmax_online(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * 2 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* from = x + (long long)row * columns;
  // Of a warp: all lanes share the largest, so that only sums differ.
  float largest = -INFINITY, sum = 0;
  for (int first = 0; first < columns; first += 32) {
    const float value = first + lane < columns ? from[first + lane] : -INFINITY;
    const float here = fmaxf(largest, value);
    if (__any_sync(~0u, here > largest)) {
      float next = here;
      for (int step = 1; step < 32; step *= 2) next = fmaxf(next, __shfl_xor_sync(~0u, next, step));
      sum *= exp2f((largest - next) * LOG2E);
      largest = next;
    }
    if (largest > -INFINITY) sum += exp2f((value - largest) * LOG2E);
  }
  for (int step = 1; step < 32; step *= 2) sum += __shfl_xor_sync(~0u, sum, step);
  for (int c = lane; c < columns; c += 32) y[(long long)row * columns + c] = exp2f((from[c] - largest) * LOG2E) / sum;
}

extern "C" __global__ void attention_tiles(const float* Q, const float* K, const float* V, float* O, int queries, int keys) {
  const int d = threadIdx.x, query = blockIdx.y * 2 + threadIdx.y;
  __shared__ float parts[2][2][2];
  const float q = query < queries ? Q[query * 64 + d] : 0;
  float largest = -INFINITY, sum = 0, result = 0;
  for (int key = 0; key < keys; ++key) {
    float score = q * K[key * 64 + d];
    for (int step = 16; step; step /= 2) score += __shfl_xor_sync(~0u, score, step);
    if (d % 32 == 0) parts[key & 1][threadIdx.y][d / 32] = score;
    __syncthreads();
    score = (parts[key & 1][threadIdx.y][0] + parts[key & 1][threadIdx.y][1]) * 0.125f;
    const float next = fmaxf(largest, score), scale = expf(largest - next), weight = expf(score - next);
    sum = sum * scale + weight;
    result = result * scale + weight * V[key * 64 + d];
    largest = next;
  }
  if (query < queries) O[query * 64 + d] = result / sum;
}
