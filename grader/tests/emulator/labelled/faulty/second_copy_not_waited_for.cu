//: block 64
#include <cuda_pipeline.h>
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int row[64];
  for (int turn = 0; turn < 2; ++turn) {
    __pipeline_memcpy_async(&row[threadIdx.x], &in[turn * 64 + threadIdx.x], 4);
    __pipeline_commit();
    if (turn == 0) __pipeline_wait_prior(0);
    __syncthreads();
    out[turn * 64 + threadIdx.x] = row[63 - threadIdx.x];  //! WG112
    __syncthreads();
  }
}
