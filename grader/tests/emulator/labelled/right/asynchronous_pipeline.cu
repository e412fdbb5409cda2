//: block 64
#include <cuda_pipeline.h>
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int tile[2][64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][t], &in[t], 4);
  __pipeline_commit();
  int sum = 0;
  for (int i = 0; i < 6; ++i) {
    if (i + 1 < 6) __pipeline_memcpy_async(&tile[(i + 1) % 2][t], &in[64 * (i + 1) + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += tile[i % 2][63 - t];
    __syncthreads();
  }
  out[t] = sum;
}
