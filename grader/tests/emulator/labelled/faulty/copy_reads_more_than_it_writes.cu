//: block 32
#include <cuda_pipeline.h>
__global__ void test(const int* in, int* out, int* zero, int n) {
  __shared__ int row[32];
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(&row[threadIdx.x]));
  const int bytes = in[1] * 8;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(in + threadIdx.x), "r"(bytes));  //! WG101
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = row[31 - threadIdx.x];
}
