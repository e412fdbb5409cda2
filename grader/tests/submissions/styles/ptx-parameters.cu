// Reads its parameters by inline PTX, two of them from the place of another: they lie one behind another.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 8, 16, 8)

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const float* left;
  const float* right;
  int rows, columns, depth;
  asm("ld.param.u64 %0, [KERNEL_param_0];" : "=l"(left));
  asm("ld.param.u64 %0, [KERNEL_param_0+8];" : "=l"(right));
  asm("ld.param.u32 %0, [KERNEL_param_5+-8];" : "=r"(rows));
  asm("ld.param.u32 %0, [KERNEL_param_2+12];" : "=r"(columns));
  asm("ld.param.u32 %0, [KERNEL_param_5];" : "=r"(depth));
  const int row = blockIdx.y * 8 + threadIdx.y;
  const int column = blockIdx.x * 16 + threadIdx.x;
  if (row >= rows || column >= columns) return;
  float sum = 0;
  for (int i = 0; i < depth; ++i) sum = fmaf(left[row * depth + i], right[i * columns + column], sum);
  C[row * columns + column] = sum;
}
