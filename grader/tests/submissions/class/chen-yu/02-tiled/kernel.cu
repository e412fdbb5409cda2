#include "launch_shape.cuh"

// 8 x 8 = 64 threads, two warps. Small, but many blocks fit on one SM.
#define W 8
LAUNCH_SHAPE(W, W, W, W)

extern "C" __global__ void matmul_tiled(const float *A, const float *B, float *C, int m, int n, int k)
{
	__shared__ float sa[W * W], sb[W * W];

	int y = threadIdx.y, x = threadIdx.x;
	int i = blockIdx.y * W + y;
	int j = blockIdx.x * W + x;

	float s = 0.f;
	for (int q = 0; q < k / W; q++) {
		sa[y * W + x] = A[i * k + (q * W + x)];
		sb[y * W + x] = B[(q * W + y) * n + j];
		__syncthreads();
		for (int p = 0; p < W; p++)
			s += sa[y * W + p] * sb[p * W + x];
		__syncthreads();
	}
	C[i * n + j] = s;
}
