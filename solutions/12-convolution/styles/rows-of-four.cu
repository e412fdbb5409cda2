// Four results beside one another. Loses: constant-weights, several-results, walk, performance.
// A window slides along a row; the mask is in shared memory as well.
#include "launch_shape.cuh"
extern "C" {
__constant__ float mask[225];
}
LAUNCH_SHAPE_OF(convolve, 16, 16, 64, 16)
LAUNCH_SHAPE_3D_OF(stencil_step, 64, 4, 1, 64, 4, 16)

extern "C" __global__ void convolve(const float* image, float* result, int rows, int columns, int mr, int mc) {
  __shared__ float tile[30][80], weights[225];
  const int t = threadIdx.y * 16 + threadIdx.x;
  if (t < mr * mc) weights[t] = mask[t];
  const int r0 = (int)blockIdx.y * 16 - mr / 2, c0 = (int)blockIdx.x * 64 - mc / 2;
  for (int k = t; k < (16 + mr - 1) * 80; k += 256) {
    const int r = k / 80, c = k % 80;
    if (c < 64 + mc - 1)
      tile[r][c] = image[max(0, min(rows - 1, r0 + r)) * columns + max(0, min(columns - 1, c0 + c))];
  }
  __syncthreads();
  float s[4] = {0, 0, 0, 0};
  for (int i = 0; i < mr; ++i) {
    const float* line = &tile[threadIdx.y + i][threadIdx.x * 4];
    float a = line[0], b = line[1], c = line[2];
    for (int j = 0; j < mc; ++j) {
      const float d = line[j + 3], w = weights[i * mc + j];
      s[0] += w * a, s[1] += w * b, s[2] += w * c, s[3] += w * d;
      a = b, b = c, c = d;
    }
  }
  const int r = blockIdx.y * 16 + threadIdx.y;
  for (int k = 0; k < 4; ++k) {
    const int c = blockIdx.x * 64 + threadIdx.x * 4 + k;
    if (r < rows && c < columns) result[r * columns + c] = s[k];
  }
}

// No shared memory: neighbours along x by shuffles where the lane has them.
extern "C" __global__ void stencil_step(const float* u, float* v, int nx, int ny, int nz) {
  const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, lane = threadIdx.x % 32;
  const int cx = min(x, nx - 1), cy = min(y, ny - 1), layer = nx * ny;
  const float* p = u + cy * nx + cx;
  const int up = cy > 0 ? -nx : 0, down = cy < ny - 1 ? nx : 0, left = cx > 0 ? -1 : 0, right = cx < nx - 1 ? 1 : 0;
  int z = blockIdx.z * 16;
  float below = p[max(z - 1, 0) * layer], here = p[z * layer];
  for (const int end = min(z + 16, nz); z < end; ++z) {
    const float above = p[min(z + 1, nz - 1) * layer];
    const float from_left = __shfl_up_sync(~0u, here, 1), from_right = __shfl_down_sync(~0u, here, 1);
    const float* q = p + z * layer;
    const float w = lane > 0 && left ? from_left : q[left], e = lane < 31 && x < nx - 1 ? from_right : q[right];
    if (x < nx && y < ny) v[(z * ny + y) * nx + x] = (here + here + below + above + w + e + q[up] + q[down]) / 8;
    below = here, here = above;
  }
}
