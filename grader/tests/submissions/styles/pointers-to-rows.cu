// Tiles are reached by pointers to arrays, and the tiles change places by swapping these.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

constexpr int T = 16;

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float room[4][T][T];
  typedef float (*Tile)[T];
  Tile a = room[0], b = room[1], next_a = room[2], next_b = room[3];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  auto fetch = [&](Tile to_a, Tile to_b, int from) {
    to_a[y][x] = row < m && from + x < k ? A[row * k + from + x] : 0.0f;
    to_b[y][x] = column < n && from + y < k ? B[(from + y) * n + column] : 0.0f;
  };
  fetch(a, b, 0);
  float sum = 0;
  for (int from = 0; from < k; from += T) {
    __syncthreads();
    if (from + T < k) fetch(next_a, next_b, from + T);
    for (int i = 0; i < T; ++i) sum += a[y][i] * b[i][x];
    Tile swap = a;
    a = next_a, next_a = swap;
    swap = b;
    b = next_b, next_b = swap;
  }
  if (row < m && column < n) C[row * n + column] = sum;
}
