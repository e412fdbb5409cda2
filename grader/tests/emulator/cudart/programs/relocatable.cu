//+ -rdc=true
//= 3 10 4
// Relocatable device code: what a program is made of lies in a list of modules, which are linked.
#include "check.hpp"

extern __device__ int counter;
__device__ int counter;
__device__ __noinline__ int twice(int x) { return 2 * x; }
using Step = int (*)(int);
__device__ Step step = twice;

__global__ void run(int* out) {
  out[0] = atomicAdd(&counter, 1);
  out[1] = step(5);
}

int main() {
  int* out;
  OK(cudaMalloc(&out, 8));
  for (int i = 0; i < 4; ++i) run<<<1, 1>>>(out);
  int host[2], total;
  OK(cudaMemcpy(host, out, 8, cudaMemcpyDeviceToHost));
  OK(cudaMemcpyFromSymbol(&total, counter, sizeof total));
  std::printf("%d %d %d\n", host[0], host[1], total);
}
