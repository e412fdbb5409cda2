// A copy of the style of this name: places in variables, conditions turned round, the loop over rows unrolled.
#include "launch_shape.cuh"
#define S 32
LAUNCH_SHAPE(S, 8, S, S)

extern "C" __global__ void transpose(const float* A, float* T, int rows, int columns) {
  __shared__ float buffer[S][S];
  const int lane = threadIdx.x;
  const int r0 = blockIdx.x * S;
  const int c0 = blockIdx.y * S;
#pragma unroll
  for (int i = threadIdx.y; i < S; i += 8) {
    const int r = r0 + i;
    const int c = c0 + lane;
    if (c < columns && r < rows) {
      const float value = A[r * columns + c];
      buffer[i][i ^ lane] = value;
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = threadIdx.y; i < S; i += 8) {
    const int r = c0 + i;
    const int c = r0 + lane;
    if (c < rows && r < columns) {
      const float value = buffer[lane][lane ^ i];
      T[r * rows + c] = value;
    }
  }
}
