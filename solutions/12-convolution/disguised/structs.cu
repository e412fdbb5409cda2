// A copy of the style of this name: a function for the struct, int for long long, the sum of neighbours by a loop.
#include "launch_shape.cuh"
extern "C" {
__constant__ float mask[15 * 15];
}
LAUNCH_SHAPE_OF(convolve, 32, 8, 32, 32)
LAUNCH_SHAPE_3D_OF(stencil_step, 32, 8, 1, 32, 8, 8)

struct Picture {
  const float* data;
  int rows, columns;
  __device__ float operator()(int r, int c) const {
    if (r < 0) r = 0;
    if (r >= rows) r = rows - 1;
    if (c < 0) c = 0;
    if (c >= columns) c = columns - 1;
    return __ldg(data + r * columns + c);
  }
};

extern "C" __global__ void convolve(const float* image, float* result, int rows, int columns, int mr, int mc) {
  __shared__ float cache[32 + 14][32 + 14 + 1];
  const Picture from{image, rows, columns};
  const int h = 31 + mr, w = 31 + mc;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < h * w; k += 256)
    cache[k / w][k % w] = from((int)blockIdx.y * 32 + k / w - mr / 2, (int)blockIdx.x * 32 + k % w - mc / 2);
  __syncthreads();
  const int c = blockIdx.x * 32 + threadIdx.x;
  float s[4] = {};
  for (int j = 0; j < mc; ++j)
    for (int y = 0; y < 3 + mr; ++y) {
      const float v = cache[threadIdx.y * 4 + y][threadIdx.x + j];
#pragma unroll
      for (int o = 0; o < 4; ++o)
        {
          const int i = y - o;
          if (i < 0 || i >= mr) continue;
          s[o] = s[o] + v * mask[i * mc + j];
        }
    }
#pragma unroll
  for (int o = 0; o < 4; ++o) {
    const int r = blockIdx.y * 32 + threadIdx.y * 4 + o;
    if (r < rows && c < columns) result[(size_t)r * columns + c] = s[o];
  }
}

extern "C" __global__ void stencil_step(const float* before, float* after, int columns, int rows, int layers) {
  __shared__ float cache[10][34];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  for (int z = blockIdx.z * 8; z < min(layers, (int)blockIdx.z * 8 + 8); ++z) {
    const auto layer = [&](int at) { return Picture{before + (size_t)min(max(at, 0), layers - 1) * rows * columns, rows, columns}; };
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 340; k += 256)
      cache[k / 34][k % 34] = layer(z)((int)blockIdx.y * 8 + k / 34 - 1, (int)blockIdx.x * 32 + k % 34 - 1);
    __syncthreads();
    const float* t = &cache[threadIdx.y + 1][threadIdx.x + 1];
    if (x < columns && y < rows)
      after[((size_t)z * rows + y) * columns + x] =
          0.125f * (layer(z - 1)(y, x) + layer(z + 1)(y, x) + t[0] + t[0] + t[-1] + t[1] + t[-34] + t[34]);
    __syncthreads();
  }
}
