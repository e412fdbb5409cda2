// A copy of the style of this name: other buffers by name, a function for loads and one for products, a loop that counts down.
#include "launch_shape.cuh"
#define W 16
LAUNCH_SHAPE(W, W, W, W)

__device__ void fetch(float* where, const float* src, int index) { *where = src[index]; }

__device__ float dot(const float (*p)[W], const float (*q)[W], int y, int x, float start) {
  int t = 0;
  while (t < W) {
    start = start + q[t][x] * p[y][t];
    t = t + 1;
  }
  return start;
}

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float ping_a[W][W], pong_a[W][W];
  __shared__ float ping_b[W][W], pong_b[W][W];
  const int c = blockIdx.x * W + threadIdx.x;
  const int r = blockIdx.y * W + threadIdx.y;
  int a_index = r * k + threadIdx.x;
  int b_index = threadIdx.y * n + c;
  fetch(&ping_a[threadIdx.y][threadIdx.x], A, a_index);
  fetch(&ping_b[threadIdx.y][threadIdx.x], B, b_index);
  float result = 0.0f;
  bool even = true;
  for (int remaining = k / W - 1; remaining >= 0; --remaining) {
    __syncthreads();
    a_index += W;
    b_index += W * n;
    if (remaining > 0) {
      if (even) {
        fetch(&pong_a[threadIdx.y][threadIdx.x], A, a_index);
        fetch(&pong_b[threadIdx.y][threadIdx.x], B, b_index);
      } else {
        fetch(&ping_a[threadIdx.y][threadIdx.x], A, a_index);
        fetch(&ping_b[threadIdx.y][threadIdx.x], B, b_index);
      }
    }
    result = even ? dot(ping_a, ping_b, threadIdx.y, threadIdx.x, result) : dot(pong_a, pong_b, threadIdx.y, threadIdx.x, result);
    even = !even;
  }
  float* out = C + r * n;
  out[c] = result;
}
