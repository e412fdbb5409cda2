// {@ title @}
//
// Problem   C = A · B, where A is m×k, B is k×n and C is m×n, row-major, of any size.
// Approach  One thread computes one element of C.
// Cost      2·k floats loaded and 2·k operations for each element.
#include "launch_shape.cuh"

//> launch-shape
constexpr int BLOCK_WIDTH = 16;
LAUNCH_SHAPE(BLOCK_WIDTH, BLOCK_WIDTH, BLOCK_WIDTH, BLOCK_WIDTH)
//< launch-shape

//> signature
extern "C" __global__ void {@ kernel @}(const float* A, const float* B, float* C, int m, int n, int k) {
  //< signature
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;

  //> solution
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + column];
  C[row * n + column] = sum;
  //< solution
  /*> stub
  // TODO(1): compute the dot product of this thread's row of A and its column of B.

  // TODO(2): write it to its place in C.
  <*/
}
