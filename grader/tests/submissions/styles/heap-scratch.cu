// A block fetches room for a strip of B from the device's heap, and gives it back.
// Fits: any size.
#include "launch_shape.cuh"
constexpr int W = 16;
LAUNCH_SHAPE(W, 8, W, 8)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float* strip;
  const int number = threadIdx.y * W + threadIdx.x;
  if (number == 0) strip = new float[static_cast<size_t>(k) * W];
  __syncthreads();
  if (strip == nullptr) __trap();
  for (int i = number; i < k * W; i += W * 8) {
    const int column = blockIdx.x * W + i % W;
    strip[i] = column < n ? B[i / W * n + column] : 0.0f;
  }
  __syncthreads();
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * W + threadIdx.x;
  if (row < m && column < n) {
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) sum += A[row * k + i] * strip[i * W + threadIdx.x];
    C[row * n + column] = sum;
  }
  __syncthreads();
  if (number == 0) delete[] strip;
}
