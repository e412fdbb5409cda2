// A loop that is entered in its middle, a goto, a union and a comma where others write statements.
// Fits: any size.
#include "launch_shape.cuh"
LAUNCH_SHAPE(16, 16, 16, 16)

union Word {
  float number;
  unsigned bits;
};

extern "C" __global__ void KERNEL(const float* A, const float* B, float* C, int m, int n, int k) {
  const float *a, *b;
  Word sum = {0.0f};
  int row, column, rounds;
  row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) goto out;
  a = A + row * k, b = B + column, rounds = (k + 3) / 4;
  switch (k & 3) {
    do {
      case 0: sum.number += *a++ * *b, b += n;
      case 3: sum.number += *a++ * *b, b += n;
      case 2: sum.number += *a++ * *b, b += n;
      case 1: sum.number += *a++ * *b, b += n;
    } while (--rounds > 0);
  }
  reinterpret_cast<unsigned*>(C)[row * n + column] = sum.bits;
out:
  return;
}
