// Amara Okafor, lab 02
// Tile of 32 because then each element is loaded k/32 times less often, and 1024 threads still fit a block.
#include "launch_shape.cuh"

#define TILE 32
LAUNCH_SHAPE(TILE, TILE, TILE, TILE)

extern "C" __global__ void matmul_tiled(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    // walk two pointers instead of computing the index again in every phase
    const float* a = A + row * k + tx;
    const float* b = B + ty * n + col;

    float acc = 0.0f;
    for (int t = 0; t < k; t += TILE) {
        As[ty][tx] = *a;
        Bs[ty][tx] = *b;
        a += TILE;
        b += TILE * n;
        __syncthreads();

#pragma unroll
        for (int i = 0; i < TILE; i++)
            acc += As[ty][i] * Bs[i][tx];
        __syncthreads();
    }
    C[row * n + col] = acc;
}
