// A copy of the style of this name: flat arrays, two functions for one template, conditions for the halo.
#include "launch_shape.cuh"
#define LARGEST 15
extern "C" {
__constant__ float mask[LARGEST * LARGEST];
}
#define NX 128
#define NY 12
LAUNCH_SHAPE_OF(convolve, NX, 1, NX, NY)
LAUNCH_SHAPE_3D_OF(stencil_step, 64, 4, 1, 64, 4, 64)
#define STRIDE (NX + LARGEST - 1)

__device__ int limit(int v, int top) {
  if (v > top - 1) v = top - 1;
  if (v < 0) v = 0;
  return v;
}

// general version, any mask
__device__ void general(float* r, const float* s, int mh, int mw) {
  for (int j = 0; j < mw; j++) {
    float win[NY];
    int y;
    for (y = 1; y < NY; y++) win[y] = s[(y - 1) * STRIDE + j];
    for (int i = 0; i < mh; i++) {
      for (y = 1; y < NY; y++) win[y - 1] = win[y];
      win[NY - 1] = s[(NY - 1 + i) * STRIDE + j];
      float f = mask[i * mw + j];
      for (y = 0; y < NY; y++) r[y] = fmaf(f, win[y], r[y]);
    }
  }
}

// the 5x5 mask, which everybody uses
__device__ void five(float* r, const float* s) {
#pragma unroll
  for (int j = 0; j < 5; j++) {
    float column[NY + 4];
#pragma unroll
    for (int y = 0; y < NY + 4; y++) column[y] = s[y * STRIDE + j];
#pragma unroll
    for (int y = 0; y < NY; y++) {
      r[y] += mask[j] * column[y];
      r[y] += mask[5 + j] * column[y + 1];
      r[y] += mask[10 + j] * column[y + 2];
      r[y] += mask[15 + j] * column[y + 3];
      r[y] += mask[20 + j] * column[y + 4];
    }
  }
}

extern "C" __global__ void convolve(const float* image, float* result, int rows, int columns, int mask_rows,
                                    int mask_columns) {
  __shared__ float s[(NY + LARGEST - 1) * STRIDE];
  int left = blockIdx.x * NX - mask_columns / 2, top = blockIdx.y * NY - mask_rows / 2;
  for (int y = 0; y < NY + mask_rows - 1; y++) {
    const float* line = image + columns * limit(top + y, rows);
    s[y * STRIDE + threadIdx.x] = line[limit(left + (int)threadIdx.x, columns)];
    if (threadIdx.x < mask_columns - 1) s[y * STRIDE + NX + threadIdx.x] = line[limit(left + NX + (int)threadIdx.x, columns)];
  }
  __syncthreads();
  float r[NY];
  for (int y = 0; y < NY; y++) r[y] = 0.0f;
  if (mask_rows != 5 || mask_columns != 5)
    general(r, s + threadIdx.x, mask_rows, mask_columns);
  else
    five(r, s + threadIdx.x);
  int c = blockIdx.x * NX + threadIdx.x;
  if (c >= columns) return;
  float* to = result + blockIdx.y * NY * columns + c;
#pragma unroll
  for (int y = 0; y < NY; y++) {
    if (blockIdx.y * NY + y >= rows) break;
    to[y * columns] = r[y];
  }
}

__device__ float look(const float* p, int x, int y, int z, int columns, int rows, int layers) {
  if (x > columns || y > rows) return 0.0f;
  return p[(limit(z, layers) * rows + limit(y, rows)) * columns + limit(x, columns)];
}

extern "C" __global__ void stencil_step(const float* before, float* after, int columns, int rows, int layers) {
  __shared__ float s[6 * 66];
  int tx = threadIdx.x, ty = threadIdx.y;
  int X0 = blockIdx.x * 64, Y0 = blockIdx.y * 4;
  int gx = X0 + tx, gy = Y0 + ty;
  // who brings what of the border
  int t = ty * 64 + tx, hx, hy;
  bool helper = t < 136;
  if (t < 64) {
    hx = t;
    hy = -1;
  } else if (t < 128) {
    hx = t - 64;
    hy = 4;
  } else if (t < 132) {
    hx = -1;
    hy = t - 128;
  } else {
    hx = 64;
    hy = t - 132;
  }
  int z = blockIdx.z * 64;
  int last = z + 64 < layers ? z + 64 : layers;
  float down = look(before, gx, gy, z - 1, columns, rows, layers);
  float now = look(before, gx, gy, z, columns, rows, layers);
  float up = look(before, gx, gy, z + 1, columns, rows, layers);
  float edge = 0.0f;
  if (helper) edge = look(before, X0 + hx, Y0 + hy, z, columns, rows, layers);
  float* mine = s + (ty + 1) * 66 + tx + 1;
  while (z < last) {
    *mine = now;
    if (helper) s[(hy + 1) * 66 + hx + 1] = edge;
    __syncthreads();
    float later = look(before, gx, gy, z + 2, columns, rows, layers);
    if (helper) edge = look(before, X0 + hx, Y0 + hy, z + 1, columns, rows, layers);
    float total = down + up;
    total += mine[-1] + mine[1];
    total += mine[-66] + mine[66];
    total += now + now;
    if (gx < columns && gy < rows) after[(z * rows + gy) * columns + gx] = total * 0.125f;
    __syncthreads();
    down = now;
    now = up;
    up = later;
    z++;
  }
}
