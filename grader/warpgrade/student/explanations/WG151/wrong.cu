#include <cassert>

__global__ void example(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(i < n);  // not for the last four threads
  out[i] = in[i];
}
