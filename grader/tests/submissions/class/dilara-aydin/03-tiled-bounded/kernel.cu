#include "launch_shape.cuh"

constexpr int TILE = 16;
LAUNCH_SHAPE(TILE, TILE, TILE, TILE)

// element of a rows x cols matrix, or 0 outside of it
__device__ __forceinline__ float fetch(const float* matrix, int row, int col, int rows, int cols)
{
    if (row >= rows || col >= cols) return 0.f;
    return matrix[row * cols + col];
}

extern "C" __global__ void matmul_tiled_bounded(const float* A, const float* B, float* C, int m, int n, int k)
{
    // A is kept transposed: tileA[column][row]. +1 so that writing a column does not hit one bank.
    __shared__ float tileA[TILE][TILE + 1];
    __shared__ float tileB[TILE][TILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;

    float sum = 0.f;
    for (int p = 0; p < k; p += TILE) {
        tileA[tx][ty] = fetch(A, row, p + tx, m, k);
        tileB[ty][tx] = fetch(B, p + ty, col, k, n);
        __syncthreads();
        for (int i = 0; i < TILE; ++i)
            sum += tileA[i][ty] * tileB[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = sum;
}
