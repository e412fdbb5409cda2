// Loads, multiply-adds, barriers and the store in PTX.
// Fits: any size.
#include "launch_shape.cuh"
constexpr int T = 16;
LAUNCH_SHAPE(T, T, T, T)

__device__ float load(const float* from) {
  float value;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(from));
  return value;
}

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[T][T], b[T][T];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  float sum = 0.0f;
  for (int first = 0; first < k; first += T) {
    a[y][x] = row < m && first + x < k ? load(A + row * k + first + x) : 0.0f;
    b[y][x] = column < n && first + y < k ? load(B + (first + y) * n + column) : 0.0f;
    asm volatile("bar.sync 1, 256;" ::: "memory");
    for (int i = 0; i < T; ++i) asm("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum) : "f"(a[y][i]), "f"(b[i][x]));
    asm volatile("bar.sync 2, 256;" ::: "memory");
  }
  if (row < m && column < n) asm volatile("st.global.f32 [%0], %1;" ::"l"(C + row * n + column), "f"(sum) : "memory");
}
