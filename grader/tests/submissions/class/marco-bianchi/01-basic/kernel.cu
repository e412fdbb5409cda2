#include "launch_shape.cuh"

LAUNCH_SHAPE(8, 8, 16, 16)  // each thread does 2 x 2 elements

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k)
{
  for (int dy = 0; dy < 16; dy += 8)
  {
    for (int dx = 0; dx < 16; dx += 8)
    {
      int riga = blockIdx.y * 16 + dy + threadIdx.y;
      int colonna = blockIdx.x * 16 + dx + threadIdx.x;
      if (riga < m && colonna < n)
      {
        float somma = 0;
        for (int i = 0; i < k; i++)
          somma += A[riga * k + i] * B[i * n + colonna];
        C[riga * n + colonna] = somma;
      }
    }
  }
}
