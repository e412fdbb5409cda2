// Amara Okafor, lab 03
#include "launch_shape.cuh"

#define TILE 32
LAUNCH_SHAPE(TILE, TILE, TILE, TILE)

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    float acc = 0.0f;
    for (int t = 0; t < k; t += TILE) {
        // zeros outside, so the inner loop can always run over the full tile
        As[ty][tx] = (row < m && t + tx < k) ? A[row * k + t + tx] : 0.0f;
        Bs[ty][tx] = (t + ty < k && col < n) ? B[(t + ty) * n + col] : 0.0f;
        __syncthreads();

#pragma unroll
        for (int i = 0; i < TILE; i++)
            acc += As[ty][i] * Bs[i][tx];
        __syncthreads();
    }

    // every thread had to come this far because of the barriers, only now some may drop out
    if (row < m && col < n)
        C[row * n + col] = acc;
}
