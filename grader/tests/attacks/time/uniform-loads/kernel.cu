#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) {
    float a, b;
    asm volatile("ldu.global.f32 %0, [%1];" : "=f"(a) : "l"(A + row * k + i));
    asm volatile("ld.f32 %0, [%1];" : "=f"(b) : "l"(B + i * n + column));
    sum += a * b;
  }
  C[row * n + column] = sum;
}
