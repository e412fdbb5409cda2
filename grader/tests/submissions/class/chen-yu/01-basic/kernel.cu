#include "launch_shape.cuh"

// 1-D block, 256 threads. I find it easier to do the division by myself.
#define W 16
LAUNCH_SHAPE(W * W, 1, W, W)

extern "C" __global__ void matmul_basic(const float *A, const float *B, float *C, int m, int n, int k)
{
	int i = blockIdx.y * W + threadIdx.x / W;
	int j = blockIdx.x * W + threadIdx.x % W;
	if (i >= m) return;
	if (j >= n) return;

	float s = 0.f;
	for (int p = 0; p < k; p++) {
		s = fmaf(A[i * k + p], B[p * n + j], s);
	}
	C[i * n + j] = s;
}
