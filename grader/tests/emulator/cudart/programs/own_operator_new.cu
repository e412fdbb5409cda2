//= 4 and 15
//+ -diag-suppress 2361
// A program may give device code an operator new for everything. The host's stub of it ends the program, so
// that the emulator must not call it.
#include "check.hpp"

__device__ unsigned used;
__device__ char room[4096];

__device__ void* operator new(std::size_t bytes) {
  return room + atomicAdd(&used, static_cast<unsigned>(bytes));
}
__device__ void* operator new[](std::size_t bytes) { return operator new(bytes); }
__device__ void operator delete(void*) noexcept {}
__device__ void operator delete(void*, std::size_t) noexcept {}
__device__ void operator delete[](void*) noexcept {}
__device__ void operator delete[](void*, std::size_t) noexcept {}

__global__ void use(int* out, int n) {
  int* one = new int(4);
  int* many = new int[n];
  for (int i = 0; i < n; ++i) many[i] = i;
  out[0] = *one;
  out[1] = 0;
  for (int i = 0; i < n; ++i) out[1] += many[i];
  delete[] many;
  delete one;
}

int main() {
  int *out, host[2];
  OK(cudaMalloc(&out, sizeof host));
  use<<<1, 1>>>(out, 6);
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("%d and %d\n", host[0], host[1]);
  OK(cudaFree(out));
}
