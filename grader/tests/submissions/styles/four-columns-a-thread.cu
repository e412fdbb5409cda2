// Tiles of B loaded and C stored as float4.
// Fits: multiples of 32.
#include "launch_shape.cuh"
constexpr int T = 32;
LAUNCH_SHAPE(T / 4, T, T, T)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float4 a[T][T / 4], b[T][T / 4];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * T + y, column = blockIdx.x * T + 4 * x;
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (int first = 0; first < k; first += T) {
    a[y][x] = *reinterpret_cast<const float4*>(&A[row * k + first + 4 * x]);
    b[y][x] = *reinterpret_cast<const float4*>(&B[(first + y) * n + column]);
    __syncthreads();
    const float* mine = reinterpret_cast<const float*>(a[y]);
    for (int i = 0; i < T; ++i) {
      const float4 other = b[i][x];
      sum.x += mine[i] * other.x;
      sum.y += mine[i] * other.y;
      sum.z += mine[i] * other.z;
      sum.w += mine[i] * other.w;
    }
    __syncthreads();
  }
  *reinterpret_cast<float4*>(&C[row * n + column]) = sum;
}
