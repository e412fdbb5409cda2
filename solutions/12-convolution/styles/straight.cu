// One thread a result, all from global memory. Loses: tile, several-results, walk, performance.
#include "launch_shape.cuh"
extern "C" {
__constant__ float mask[225];
}
LAUNCH_SHAPE_OF(convolve, 16, 16, 16, 16)
LAUNCH_SHAPE_3D_OF(stencil_step, 8, 4, 8, 8, 4, 8)

extern "C" __global__ void convolve(const float* image, float* result, int rows, int columns, int mr, int mc) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= columns) return;
  double sum = 0;
  for (int i = 0; i < mr; i++)
    for (int j = 0; j < mc; j++) {
      int rr = r + i - mr / 2, cc = c + j - mc / 2;
      if (rr < 0) rr = 0;
      if (rr >= rows) rr = rows - 1;
      if (cc < 0) cc = 0;
      if (cc >= columns) cc = columns - 1;
      sum += (double)mask[i * mc + j] * image[rr * columns + cc];
    }
  result[r * columns + c] = sum;
}

extern "C" __global__ void stencil_step(const float* u, float* v, int nx, int ny, int nz) {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z * 8 + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  int i = (z * ny + y) * nx + x, layer = nx * ny;
  float s = 2 * u[i];
  s += x > 0 ? u[i - 1] : u[i];
  s += x < nx - 1 ? u[i + 1] : u[i];
  s += y > 0 ? u[i - nx] : u[i];
  s += y < ny - 1 ? u[i + nx] : u[i];
  s += z > 0 ? u[i - layer] : u[i];
  s += z < nz - 1 ? u[i + layer] : u[i];
  v[i] = s * 0.125f;
}
