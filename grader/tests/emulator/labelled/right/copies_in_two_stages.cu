//: block 64
#include <cuda_pipeline.h>
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int row[2][64];
  __pipeline_memcpy_async(&row[0][threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_commit();
  for (int turn = 0; turn < 4; ++turn) {
    if (turn < 3) __pipeline_memcpy_async(&row[(turn + 1) % 2][threadIdx.x], &in[(turn + 1) * 64 + threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[turn * 64 + threadIdx.x] = row[turn % 2][63 - threadIdx.x];
    __syncthreads();
  }
}
