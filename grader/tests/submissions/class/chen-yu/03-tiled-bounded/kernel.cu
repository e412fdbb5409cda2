#include "launch_shape.cuh"

// one-dimensional block and one-dimensional tiles
#define W 16
LAUNCH_SHAPE(W * W, 1, W, W)

extern "C" __global__ void matmul_tiled_bounded(const float *A, const float *B, float *C, int m, int n, int k)
{
	__shared__ float sa[W * W];
	__shared__ float sb[W * W];

	int t = threadIdx.x;
	int y = t / W, x = t % W;
	int i = blockIdx.y * W + y;
	int j = blockIdx.x * W + x;

	float s = 0.f;
	for (int q = 0; q < k; q += W) {
		sa[t] = 0.f;
		sb[t] = 0.f;
		if (i < m && q + x < k) sa[t] = A[i * k + q + x];
		if (j < n && q + y < k) sb[t] = B[(q + y) * n + j];
		__syncthreads();
		// only as many products as there are, no need to multiply the zeros
		int last = min(W, k - q);
		for (int p = 0; p < last; p++)
			s += sa[y * W + p] * sb[p * W + x];
		__syncthreads();
	}
	if (i < m && j < n) C[i * n + j] = s;
}
