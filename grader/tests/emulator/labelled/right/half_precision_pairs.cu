//: grid 2 block 32
#include <cuda_fp16.h>
__global__ void test(const int* in, int* out, int* zero, int n) {
  auto* to = reinterpret_cast<__half*>(out);
  const int i = blockIdx.x * 32 + threadIdx.x;
  to[i] = __float2half(static_cast<float>(in[i]));
  __syncwarp();
  to[i] = __hadd(to[i], to[i]);
}
