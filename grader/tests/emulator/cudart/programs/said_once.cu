//= ran
//! warpgrade: 2 findings of later launches
// A fault that each launch shows is told once.
#include "check.hpp"

__global__ void race(int* out) {
  __shared__ int words[64];
  words[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = words[63 - threadIdx.x];
}

int main() {
  int* out;
  OK(cudaMalloc(&out, 64 * sizeof *out));
  for (int i = 0; i < 3; ++i) race<<<1, 64>>>(out);
  OK(cudaDeviceSynchronize());
  OK(cudaFree(out));
  std::printf("ran\n");
}
