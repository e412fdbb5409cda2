#include "launch_shape.cuh"

// block: 64 rows, 64 columns, 256 threads in one dimension
// thread: 16 outputs of one column (rows y, y+4, y+8, ...)
#define ROWS 64
#define COLS 64
#define DEPTH 16
#define THREADS 256
#define STEP (THREADS / COLS)  // 4
#define OUT (ROWS / STEP)      // 16
LAUNCH_SHAPE(THREADS, 1, COLS, ROWS)

extern "C" __global__ void matmul_register_tiled(const float *A, const float *B, float *C, int m, int n, int k)
{
	__shared__ float sa[ROWS * DEPTH];
	__shared__ float sb[DEPTH * COLS];

	int t = threadIdx.x;
	int x = t % COLS;
	int y = t / COLS;
	int i0 = blockIdx.y * ROWS;
	int j = blockIdx.x * COLS + x;

	float s[OUT];
	for (int o = 0; o < OUT; o++) s[o] = 0.f;

	for (int q = 0; q < k; q += DEPTH) {
		for (int e = t; e < ROWS * DEPTH; e += THREADS) {
			int i = i0 + e / DEPTH;
			int p = q + e % DEPTH;
			sa[e] = (i < m && p < k) ? A[i * k + p] : 0.f;
		}
		for (int e = t; e < DEPTH * COLS; e += THREADS) {
			int p = q + e / COLS;
			int jj = blockIdx.x * COLS + e % COLS;
			sb[e] = (p < k && jj < n) ? B[p * n + jj] : 0.f;
		}
		__syncthreads();
		for (int p = 0; p < DEPTH; p++) {
			float b = sb[p * COLS + x];
			for (int o = 0; o < OUT; o++)
				s[o] += sa[(y + o * STEP) * DEPTH + p] * b;
		}
		__syncthreads();
	}

	for (int o = 0; o < OUT; o++) {
		int i = i0 + y + o * STEP;
		if (i < m && j < n) C[i * n + j] = s[o];
	}
}
