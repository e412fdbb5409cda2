// Amara Okafor, lab 04
// 64x64 outputs per block, 16x16 threads, 4x4 outputs per thread.
// I tried 8x8 per thread as well but 4x4 was easier to get right at the borders.
#include "launch_shape.cuh"

#define BM 64
#define BN 64
#define BK 16
#define TM 4
#define TN 4
#define NT ((BM / TM) * (BN / TN))
LAUNCH_SHAPE(BN / TN, BM / TM, BN, BM)

extern "C" __global__ void matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[BK][BM + 1];  // transposed, +1 against bank conflicts when storing
    __shared__ float Bs[BK][BN];

    int tid = threadIdx.y * blockDim.x + threadIdx.x;
    int row0 = blockIdx.y * BM;
    int col0 = blockIdx.x * BN;

    float acc[TM][TN] = {};

    for (int t = 0; t < k; t += BK) {
        for (int e = tid; e < BM * BK; e += NT) {
            int r = e / BK, c = e % BK;
            As[c][r] = (row0 + r < m && t + c < k) ? A[(row0 + r) * k + t + c] : 0.0f;
        }
        for (int e = tid; e < BK * BN; e += NT) {
            int r = e / BN, c = e % BN;
            Bs[r][c] = (t + r < k && col0 + c < n) ? B[(t + r) * n + col0 + c] : 0.0f;
        }
        __syncthreads();

#pragma unroll
        for (int p = 0; p < BK; p++) {
            float ra[TM], rb[TN];
#pragma unroll
            for (int i = 0; i < TM; i++)
                ra[i] = As[p][threadIdx.y * TM + i];
#pragma unroll
            for (int j = 0; j < TN; j++)
                rb[j] = Bs[p][threadIdx.x + j * (BN / TN)];  // stride of 16: neighbours read neighbours
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; i++) {
        int row = row0 + threadIdx.y * TM + i;
        if (row >= m)
            break;
        for (int j = 0; j < TN; j++) {
            int col = col0 + threadIdx.x + j * (BN / TN);
            if (col < n)
                C[row * n + col] = acc[i][j];
        }
    }
}
