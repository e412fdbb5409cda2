// No zeros: the last phase has fewer products, and nothing outside is read. Loses: performance.
#include "launch_shape.cuh"

constexpr int EDGE = 16;
LAUNCH_SHAPE(EDGE, EDGE, EDGE, EDGE)

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float rows[EDGE][EDGE], columns[EDGE][EDGE];
  const int u = threadIdx.x, v = threadIdx.y;
  const int r = blockIdx.y * EDGE + v, c = blockIdx.x * EDGE + u;
  const bool has_row = r < m, has_column = c < n;
  float acc = 0.0f;
  for (int done = 0; done < k; done += EDGE) {
    const int depth = min(EDGE, k - done);
    if (has_row && u < depth) rows[v][u] = A[r * k + done + u];
    if (has_column && v < depth) columns[v][u] = B[(done + v) * n + c];
    __syncthreads();
    if (has_row && has_column)
      for (int d = 0; d < depth; ++d) acc += rows[v][d] * columns[d][u];
    __syncthreads();
  }
  if (has_row && has_column) C[r * n + c] = acc;
}
