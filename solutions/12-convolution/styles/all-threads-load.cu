// Blocks whose threads cover the halo, too. Loses: tile, several-results, performance.
// Each thread loads one element, and only those inside compute; layers go through three tiles in turn.
#include "launch_shape.cuh"
extern "C" {
__constant__ float mask[15][15];
}
LAUNCH_SHAPE_OF(convolve, 32, 32, 18, 18)
LAUNCH_SHARED_BYTES_OF(convolve, 32 * 33 * 4)
LAUNCH_SHAPE_3D_OF(stencil_step, 18, 18, 1, 16, 16, 1000)

extern __shared__ float dynamic[];

extern "C" __global__ void convolve(const float* image, float* result, int rows, int columns, int mr, int mc) {
  float(*tile)[33] = reinterpret_cast<float(*)[33]>(dynamic);
  const float* weights = &mask[0][0];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int column = blockIdx.x * 18 + tx - mc / 2, row = blockIdx.y * 18 + ty - mr / 2;
  tile[ty][tx] = image[min(max(row, 0), rows - 1) * columns + min(max(column, 0), columns - 1)];
  __syncthreads();
  const int x = tx - mc / 2, y = ty - mr / 2;
  if (x < 0 || x >= 18 || y < 0 || y >= 18 || row >= rows || column >= columns) return;
  float sum = 0;
  for (int k = 0; k < mr * mc; ++k) sum = fmaf(weights[k], tile[y + k / mc][x + k % mc], sum);
  result[row * columns + column] = sum;
}

extern "C" __global__ void stencil_step(const float* before, float* after, int columns, int rows, int layers) {
  __shared__ float tiles[3][18][18];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * 16 + tx - 1, y = blockIdx.y * 16 + ty - 1, first = blockIdx.z * 1000;
  const float* at = before + min(max(y, 0), rows - 1) * columns + min(max(x, 0), columns - 1);
  const int layer = rows * columns;
  const bool inside = tx > 0 && tx < 17 && ty > 0 && ty < 17 && x < columns && y < rows;
  tiles[(first + 2) % 3][ty][tx] = at[max(first - 1, 0) * layer];
  tiles[first % 3][ty][tx] = at[first * layer];
  for (int z = first; z < first + 1000 && z < layers; ++z) {
    tiles[(z + 1) % 3][ty][tx] = at[min(z + 1, layers - 1) * layer];
    __syncthreads();
    if (inside) {
      float(*here)[18] = tiles[z % 3];
      after[z * layer + y * columns + x] =
          0.25f * here[ty][tx] + 0.125f * (here[ty][tx - 1] + here[ty][tx + 1] + here[ty - 1][tx] + here[ty + 1][tx] +
                                          tiles[(z + 2) % 3][ty][tx] + tiles[(z + 1) % 3][ty][tx]);
    }
    __syncthreads();
  }
}
