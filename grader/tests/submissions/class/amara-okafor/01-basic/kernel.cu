// Amara Okafor, lab 01
#include "launch_shape.cuh"

// 32 x 8 threads instead of 16 x 16: a whole warp then reads 32 neighbours of one row of B.
#define BLOCK_X 32
#define BLOCK_Y 8
LAUNCH_SHAPE(BLOCK_X, BLOCK_Y, BLOCK_X, BLOCK_Y)

extern "C" __global__ void matmul_basic(const float* A, const float* B, float* C, int m, int n, int k)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n)
        return;

    float acc = 0.0f;
    for (int i = 0; i < k; i++)
        acc += A[row * k + i] * B[i * n + col];
    C[row * n + col] = acc;
}
