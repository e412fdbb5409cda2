// Rows one after the other, and a tile for each of two layers. Loses: performance.
#include "launch_shape.cuh"
extern "C" {
__constant__ float mask[400];
}
LAUNCH_SHAPE_OF(convolve, 64, 4, 64, 64)
LAUNCH_SHAPE_3D_OF(stencil_step, 32, 8, 1, 32, 8, 48)

// A thread goes down its column of 16 results; each row of the mask is read where it is needed.
extern "C" __global__ void convolve(const float* __restrict__ image, float* __restrict__ result, int rows, int columns,
                                    int mr, int mc) {
  __shared__ float strip[78 * 78];
  const int pitch = 64 + mc - 1, high = 64 + mr - 1, x0 = blockIdx.x * 64 - mc / 2, y0 = blockIdx.y * 64 - mr / 2;
  for (int y = threadIdx.y; y < high; y += 4) {
    const float* from = image + (size_t)min(max(y0 + y, 0), rows - 1) * columns;
    for (int x = threadIdx.x; x < pitch; x += 64) strip[y * pitch + x] = from[min(max(x0 + x, 0), columns - 1)];
  }
  __syncthreads();
  float sums[16];
#pragma unroll
  for (int o = 0; o < 16; ++o) sums[o] = 0;
  const float* top = strip + threadIdx.y * 16 * pitch + threadIdx.x;
  for (int i = 0; i < 15 + mr; ++i)
    for (int j = 0; j < mc; ++j) {
      const float v = top[i * pitch + j];
#pragma unroll
      for (int o = 0; o < 16; ++o)
        if (i - o >= 0 && i - o < mr) sums[o] += v * mask[(i - o) * mc + j];
    }
  const int x = blockIdx.x * 64 + threadIdx.x;
#pragma unroll
  for (int o = 0; o < 16; ++o) {
    const int y = blockIdx.y * 64 + threadIdx.y * 16 + o;
    if (y < rows && x < columns) result[(size_t)y * columns + x] = sums[o];
  }
}

extern "C" __global__ void stencil_step(const float* before, float* after, int columns, int rows, int layers) {
  __shared__ float tile[2][10][35];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
  const auto load = [=](int dx, int dy, int z) {
    const int cx = min(max(x + dx, 0), columns - 1), cy = min(max(y + dy, 0), rows - 1);
    return before[(min(max(z, 0), layers - 1) * rows + cy) * columns + cx];
  };
  const int first = blockIdx.z * 48, end = min(first + 48, layers);
  float below = load(0, 0, first - 1), here = load(0, 0, first);
  for (int z = first, at = 0; z < end; ++z, at ^= 1) {
    float(*t)[35] = tile[at];
    t[ty + 1][tx + 1] = here;
    if (tx == 0) t[ty + 1][0] = load(-1, 0, z);
    if (tx == 31) t[ty + 1][33] = load(1, 0, z);
    if (ty == 0) t[0][tx + 1] = load(0, -1, z);
    if (ty == 7) t[9][tx + 1] = load(0, 1, z);
    const float above = load(0, 0, z + 1);
    __syncthreads();  // the other tile is written next: who still reads it has not come here
    if (x < columns && y < rows)
      after[(z * rows + y) * columns + x] =
          0.125f * (here + here + below + above + t[ty][tx + 1] + t[ty + 2][tx + 1] + t[ty + 1][tx] + t[ty + 1][tx + 2]);
    below = here;
    here = above;
  }
}
