#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k) {
  float x = 0.0f;
  for (int i = 0; i < 100; ++i) {
    char* room = static_cast<char*>(alloca(static_cast<size_t>(-1) - i * m));
    room[0] = 1;
    x += room[1];
  }
  C[0] = x;
}
