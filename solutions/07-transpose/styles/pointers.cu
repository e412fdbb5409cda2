// Pointers that walk down the matrix, and a tile in dynamic shared memory.
#include "launch_shape.cuh"
LAUNCH_SHAPE(32, 4, 32, 32)
LAUNCH_SHARED_BYTES(32 * 33 * 4)

extern __shared__ float tile[];

extern "C" __global__ void transpose(const float* A, float* T, int rows, int columns) {
  const int top = 32 * blockIdx.x, left = 32 * blockIdx.y;
  const int height = min(32, rows - top), width = min(32, columns - left);
  const float* from = A + static_cast<size_t>(top + threadIdx.y) * columns + left;
  for (int y = threadIdx.y; y < height; y += 4, from += 4 * columns)
    if (threadIdx.x < width) tile[33 * y + threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  float* to = T + static_cast<size_t>(left + threadIdx.y) * rows + top;
  for (int y = threadIdx.y; y < width; y += 4, to += 4 * rows)
    if (threadIdx.x < height) to[threadIdx.x] = tile[33 * threadIdx.x + y];
}
