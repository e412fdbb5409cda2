// Pointers that move on by a tile, loops that count down, and loads that are clamped into the matrices. Loses: performance.
#include "launch_shape.cuh"

constexpr int SIDE = 32, DEPTH = 16, PER = 2, ACROSS = SIDE / PER;
LAUNCH_SHAPE(ACROSS, ACROSS, SIDE, SIDE)

extern "C" __global__ void matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[SIDE * DEPTH], b[DEPTH * SIDE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * SIDE + y, column = blockIdx.x * SIDE + x;
  const float* upper = A + static_cast<size_t>(min(row, m - 1)) * k;
  const float* lower = A + static_cast<size_t>(min(row + ACROSS, m - 1)) * k;
  const float* left = B + min(column, n - 1);
  const float* right = B + min(column + ACROSS, n - 1);
  float s00 = 0, s01 = 0, s10 = 0, s11 = 0;
  int done = 0;
  while (done < k) {
    const bool of_a = done + x < k, of_b = done + y < k;
    const int at = min(done + x, k - 1);
    const size_t line = static_cast<size_t>(min(done + y, k - 1)) * n;
    a[y * DEPTH + x] = of_a ? upper[at] : 0.0f;
    a[(y + ACROSS) * DEPTH + x] = of_a ? lower[at] : 0.0f;
    b[y * SIDE + x] = of_b ? left[line] : 0.0f;
    b[y * SIDE + x + ACROSS] = of_b ? right[line] : 0.0f;
    __syncthreads();
    const float *p = a + y * DEPTH, *q = b + x;
    int d = DEPTH;
    do {
      const float up = *p, down = p[ACROSS * DEPTH], near = *q, far = q[ACROSS];
      s00 += up * near;
      s01 += up * far;
      s10 += down * near;
      s11 += down * far;
      ++p;
      q += SIDE;
    } while (--d);
    __syncthreads();
    done += DEPTH;
  }
  float* to = C + static_cast<size_t>(row) * n + column;
  if (row < m && column < n) to[0] = s00;
  if (row < m && column + ACROSS < n) to[ACROSS] = s01;
  if (row + ACROSS < m && column < n) to[static_cast<size_t>(ACROSS) * n] = s10;
  if (row + ACROSS < m && column + ACROSS < n) to[static_cast<size_t>(ACROSS) * n + ACROSS] = s11;
}
