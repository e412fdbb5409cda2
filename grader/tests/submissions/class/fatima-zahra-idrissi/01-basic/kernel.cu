#include "launch_shape.cuh"

constexpr int BLOCK_WIDTH = 16;
// A block has a thread for each element of C that it computes.
LAUNCH_SHAPE(BLOCK_WIDTH, BLOCK_WIDTH, BLOCK_WIDTH, BLOCK_WIDTH)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  // which row am I
  int my_row = blockIdx.y * blockDim.y + threadIdx.y;
  // which column am I
  int my_column = blockIdx.x * blockDim.x + threadIdx.x;

  // threads outside must not write!!
  bool inside = true;
  if (my_row >= m) {
    inside = false;
  }
  if (my_column >= n) {
    inside = false;
  }

  if (inside == true) {
    // dot product
    float result = 0.0;
    int position = 0;
    while (position < k) {
      result = result + A[my_row * k + position] * B[position * n + my_column];
      position = position + 1;
    }
    // write
    C[my_row * n + my_column] = result;
  }
}
