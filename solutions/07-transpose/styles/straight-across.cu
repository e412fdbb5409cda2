// No tile: each thread moves its elements, and stores go down columns. Loses: coalesced-stores, no-bank-conflicts, performance.
#include "launch_shape.cuh"
LAUNCH_SHAPE(32, 8, 32, 32)

extern "C" __global__ void transpose(const float* A, float* T, int rows, int columns) {
  const int column = blockIdx.y * 32 + threadIdx.x;
  for (int y = threadIdx.y; y < 32; y += 8) {
    const int row = blockIdx.x * 32 + y;
    if (row < rows && column < columns) T[column * rows + row] = A[row * columns + column];
  }
}
