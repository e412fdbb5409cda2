// styles/whole-tile.cu rewritten from scratch, as a copyist would.
#include "launch_shape.cuh"
#define SIDE 32
#define PITCH (SIDE + 1)
LAUNCH_SHAPE(SIDE, SIDE, SIDE, SIDE)

extern "C" __global__ void transpose(const float* A, float* T, int rows, int columns) {
  __shared__ float box[SIDE * PITCH];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned from_y = (blockIdx.x << 5) + ty, from_x = (blockIdx.y << 5) + tx;
  float* mine = box + ty * PITCH + tx;
  const bool there = !(from_y >= (unsigned)rows || from_x >= (unsigned)columns);
  if (there) {
    const float* source = A;
    source += (size_t)columns * from_y;
    *mine = source[from_x];
  }
  __syncthreads();
  const unsigned to_y = (blockIdx.y << 5) + ty, to_x = (blockIdx.x << 5) + tx;
  if (to_y < (unsigned)columns && to_x < (unsigned)rows) {
    float* target = T + (size_t)rows * to_y;
    target[to_x] = box[tx * PITCH + ty];
  }
}
