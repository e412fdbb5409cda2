#include "launch_shape.cuh"

// 64 x 64 outputs, 8 x 8 = 64 threads, each an 8 x 8 patch in registers.
// Two buffers of tiles: the next one is loaded while this one is used, one barrier a phase is enough then.
constexpr int B_ROWS = 64, B_COLS = 64, DEPTH = 8, PATCH = 8;
constexpr int TX = B_COLS / PATCH, TY = B_ROWS / PATCH, THREADS = TX * TY;
LAUNCH_SHAPE(TX, TY, B_COLS, B_ROWS)

struct Tiles {
    float a[DEPTH][B_ROWS + 4];
    float b[DEPTH][B_COLS];
};

__device__ void load(Tiles& t, const float* A, const float* B, int row0, int col0, int p, int m, int n, int k)
{
    const int id = threadIdx.y * TX + threadIdx.x;
    for (int e = id; e < B_ROWS * DEPTH; e += THREADS) {
        const int r = e / DEPTH, d = e % DEPTH;
        t.a[d][r] = row0 + r < m && p + d < k ? A[(row0 + r) * k + p + d] : 0.f;
    }
    for (int e = id; e < DEPTH * B_COLS; e += THREADS) {
        const int d = e / B_COLS, c = e % B_COLS;
        t.b[d][c] = p + d < k && col0 + c < n ? B[(p + d) * n + col0 + c] : 0.f;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
matmul_register_tiled(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ Tiles tiles[2];
    const int row0 = blockIdx.y * B_ROWS, col0 = blockIdx.x * B_COLS;

    float sum[PATCH][PATCH] = {};
    load(tiles[0], A, B, row0, col0, 0, m, n, k);
    __syncthreads();

    int now = 0;
    for (int p = 0; p < k; p += DEPTH) {
        if (p + DEPTH < k)
            load(tiles[1 - now], A, B, row0, col0, p + DEPTH, m, n, k);
        const Tiles& t = tiles[now];
        for (int d = 0; d < DEPTH; ++d) {
            float a[PATCH], b[PATCH];
            for (int i = 0; i < PATCH; ++i) a[i] = t.a[d][threadIdx.y + i * TY];
            for (int j = 0; j < PATCH; ++j) b[j] = t.b[d][threadIdx.x + j * TX];
            for (int i = 0; i < PATCH; ++i)
                for (int j = 0; j < PATCH; ++j)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
        now = 1 - now;
    }

    for (int i = 0; i < PATCH; ++i)
        for (int j = 0; j < PATCH; ++j) {
            const int row = row0 + threadIdx.y + i * TY;
            const int col = col0 + threadIdx.x + j * TX;
            if (row < m && col < n)
                C[row * n + col] = sum[i][j];
        }
}
