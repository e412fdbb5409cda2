//: block 64
#include <cuda_pipeline.h>
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int now[64], later[64];
  __pipeline_memcpy_async(&now[threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&later[threadIdx.x], &in[64 + threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  out[threadIdx.x] = now[63 - threadIdx.x] + later[63 - threadIdx.x];  //! WG112
}
