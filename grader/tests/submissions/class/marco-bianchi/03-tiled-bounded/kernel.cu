#include "launch_shape.cuh"

// only A goes through shared memory, B is read along rows anyway
constexpr int L = 16;
LAUNCH_SHAPE(L, L, L, L)

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n, int k)
{
  __shared__ float blocco[L][L];
  int riga = blockIdx.y * L + threadIdx.y;
  int colonna = blockIdx.x * L + threadIdx.x;

  float somma = 0;
  for (int fase = 0; fase < k; fase += L)
  {
    blocco[threadIdx.y][threadIdx.x] = 0;
    if (riga < m && fase + threadIdx.x < k)
      blocco[threadIdx.y][threadIdx.x] = A[riga * k + fase + threadIdx.x];
    __syncthreads();
    if (colonna < n)
      for (int i = 0; i < L && fase + i < k; i++)
        somma += blocco[threadIdx.y][i] * B[(fase + i) * n + colonna];
    __syncthreads();
  }
  if (riga < m && colonna < n)
    C[riga * n + colonna] = somma;
}
