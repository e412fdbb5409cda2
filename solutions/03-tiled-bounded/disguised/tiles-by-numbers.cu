// A copy of the style of this name: macros, conditions turned round, both loads in one line each.
#include "launch_shape.cuh"
#define SIDE 16
#define ALL (SIDE * SIDE)
#define CREW (ALL / 2)
#define WAIT() __syncthreads()
LAUNCH_SHAPE(CREW, 1, SIDE, SIDE)

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float left[ALL];
  __shared__ float right[ALL];
  const int me = threadIdx.x;
  const int me_x = me % SIDE;
  const int me_y = me / SIDE;
  const int corner_x = SIDE * blockIdx.x;
  const int corner_y = SIDE * blockIdx.y;
  float sums[2];
  sums[0] = sums[1] = 0.0f;
  int depth = 0;
  for (; k > depth; depth = depth + SIDE) {
    int place = me;
    while (place < ALL) {
      const int py = place / SIDE;
      const int px = place % SIDE;
      left[place] = !(corner_y + py >= m || depth + px >= k) ? A[k * (corner_y + py) + depth + px] : 0.0f;
      right[place] = !(depth + py >= k || corner_x + px >= n) ? B[n * (depth + py) + corner_x + px] : 0.0f;
      place += CREW;
    }
    WAIT();
    for (int s = 0; s < SIDE; ++s) {
      const float common = right[s * SIDE + me_x];
      sums[0] += common * left[me_y * SIDE + s];
      sums[1] += common * left[(me_y + SIDE / 2) * SIDE + s];
    }
    WAIT();
  }
  const int out_x = corner_x + me_x;
  for (int half = 0; half < 2; ++half) {
    const int out_y = corner_y + me_y + half * (SIDE / 2);
    if (out_x < n && out_y < m) C[out_y * n + out_x] = sums[half];
  }
}
