//= every mistake was told once
//! a block of 1025×1×1 threads is not possible
//! a grid of 0×1×1 blocks is not possible
// Checked on an H200 (CUDA 13.0, driver 580). Mistakes that do not end the context: reported once, and the next launch works.
#include "check.hpp"

__global__ void put(int* x) { *x = 42; }
__global__ void __launch_bounds__(64) small(int* x) { *x = 1; }
__global__ void dynamic(int n) {
  extern __shared__ int values[];
  if (n > 0) values[threadIdx.x] = n;
}

int main() {
  int* device;
  OK(cudaMalloc(&device, sizeof(int)));
  put<<<1, 1025>>>(device);
  IS(cudaPeekAtLastError(), cudaErrorInvalidValue);
  IS(cudaGetLastError(), cudaErrorInvalidValue);
  OK(cudaGetLastError());
  put<<<0, 1>>>(device);
  IS(cudaGetLastError(), cudaErrorInvalidValue);
  put<<<dim3(1, 65536), 1>>>(device);
  IS(cudaGetLastError(), cudaErrorInvalidValue);
  put<<<1, dim3(1, 1, 65)>>>(device);
  IS(cudaGetLastError(), cudaErrorInvalidValue);
  small<<<1, 65>>>(device);
  IS(cudaGetLastError(), cudaErrorInvalidValue);
  dynamic<<<1, 1, 49153>>>(0);
  IS(cudaGetLastError(), cudaErrorInvalidValue);
  OK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
  dynamic<<<1, 1, 49153>>>(1);
  OK(cudaGetLastError());
  IS(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449), cudaErrorInvalidValue);
  void* arguments[1] = {&device};
  IS(cudaLaunchKernel(nullptr, 1, 1, arguments, 0, nullptr), cudaErrorInvalidDeviceFunction);
  IS(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
  IS(cudaMalloc(&arguments[0], std::size_t{1} << 50), cudaErrorMemoryAllocation);
  IS(cudaGetLastError(), cudaErrorMemoryAllocation);

  put<<<1, 1>>>(device);
  OK(cudaDeviceSynchronize());
  int host = 0;
  OK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host == 42);
  std::printf("every mistake was told once\n");
}
