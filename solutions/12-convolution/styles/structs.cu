// A struct for the image that clamps by itself, 64-bit indices. Loses: walk, performance.
#include "launch_shape.cuh"
extern "C" {
__constant__ float mask[15 * 15];
}
LAUNCH_SHAPE_OF(convolve, 32, 8, 32, 32)
LAUNCH_SHAPE_3D_OF(stencil_step, 32, 8, 1, 32, 8, 8)

struct Image {
  const float* data;
  long long rows, columns;
  __device__ float operator()(long long r, long long c) const {
    r = r < 0 ? 0 : r < rows ? r : rows - 1;
    c = c < 0 ? 0 : c < columns ? c : columns - 1;
    return __ldg(data + r * columns + c);
  }
};

extern "C" __global__ void convolve(const float* image, float* result, int rows, int columns, int mr, int mc) {
  __shared__ float tile[32 + 14][32 + 14 + 1];
  const Image from{image, rows, columns};
  const int high = 31 + mr, wide = 31 + mc;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < high * wide; k += 256)
    tile[k / wide][k % wide] = from((long long)blockIdx.y * 32 + k / wide - mr / 2, (long long)blockIdx.x * 32 + k % wide - mc / 2);
  __syncthreads();
  const int c = blockIdx.x * 32 + threadIdx.x;
  float s[4] = {};
  for (int j = 0; j < mc; ++j)
    for (int y = 0; y < 3 + mr; ++y) {
      const float v = tile[threadIdx.y * 4 + y][threadIdx.x + j];
#pragma unroll
      for (int o = 0; o < 4; ++o)
        if (0 <= y - o && y - o < mr) s[o] += mask[(y - o) * mc + j] * v;
    }
#pragma unroll
  for (int o = 0; o < 4; ++o) {
    const int r = blockIdx.y * 32 + threadIdx.y * 4 + o;
    if (r < rows && c < columns) result[(size_t)r * columns + c] = s[o];
  }
}

extern "C" __global__ void stencil_step(const float* before, float* after, int columns, int rows, int layers) {
  __shared__ float tile[10][34];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  for (int z = blockIdx.z * 8; z < min(layers, (int)blockIdx.z * 8 + 8); ++z) {
    const auto layer = [&](int at) { return Image{before + (size_t)min(max(at, 0), layers - 1) * rows * columns, rows, columns}; };
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 340; k += 256)
      tile[k / 34][k % 34] = layer(z)((int)blockIdx.y * 8 + k / 34 - 1, (int)blockIdx.x * 32 + k % 34 - 1);
    __syncthreads();
    const float* t = &tile[threadIdx.y + 1][threadIdx.x + 1];
    if (x < columns && y < rows)
      after[((size_t)z * rows + y) * columns + x] =
          (2 * t[0] + t[-1] + t[1] + t[-34] + t[34] + layer(z - 1)(y, x) + layer(z + 1)(y, x)) / 8;
    __syncthreads();
  }
}
