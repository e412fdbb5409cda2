// A block of one dimension: places in the tile come from division and remainder.
#include "launch_shape.cuh"
LAUNCH_SHAPE(256, 1, 32, 32)

extern "C" __global__ void transpose(const float* A, float* T, int rows, int columns) {
  __shared__ float tile[32 * 33];
  const int top = blockIdx.x * 32, left = blockIdx.y * 32;
  for (int k = threadIdx.x; k < 32 * 32; k += 256) {
    const int y = k / 32, x = k % 32;
    if (top + y < rows && left + x < columns) tile[33 * y + x] = A[(top + y) * columns + left + x];
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 32 * 32; k += 256) {
    const int y = k / 32, x = k % 32;
    if (left + y < columns && top + x < rows) T[(left + y) * rows + top + x] = tile[33 * x + y];
  }
}
