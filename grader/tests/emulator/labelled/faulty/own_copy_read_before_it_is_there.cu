//: block 64
#include <cuda_pipeline.h>
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int row[64];
  row[threadIdx.x] = 0;
  __pipeline_memcpy_async(&row[threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_commit();
  out[threadIdx.x] = row[threadIdx.x];  //! WG112
  __pipeline_wait_prior(0);
}
