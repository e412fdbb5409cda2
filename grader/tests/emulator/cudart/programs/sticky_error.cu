//= the launch itself succeeds
//= then all that needs the device fails
//= and after a reset it works again
// A fault ends the context: cudaErrorIllegalAddress (700) until the device is reset.
#include "check.hpp"

__global__ void put(int* x) { *x = 42; }

int main() {
  int* device;
  OK(cudaMalloc(&device, sizeof(int)));
  put<<<1, 1>>>(reinterpret_cast<int*>(16));
  OK(cudaGetLastError());
  std::printf("the launch itself succeeds\n");
  IS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  IS(cudaPeekAtLastError(), cudaErrorIllegalAddress);
  IS(cudaGetLastError(), cudaErrorIllegalAddress);
  OK(cudaGetLastError());
  IS(cudaMalloc(&device, sizeof(int)), cudaErrorIllegalAddress);
  cudaEvent_t event;
  IS(cudaEventCreate(&event), cudaErrorIllegalAddress);
  put<<<1, 1>>>(device);
  IS(cudaGetLastError(), cudaErrorIllegalAddress);
  int count = 0;
  OK(cudaGetDeviceCount(&count));
  OK(cudaSetDevice(0));
  std::printf("then all that needs the device fails\n");
  OK(cudaDeviceReset());
  OK(cudaMalloc(&device, sizeof(int)));
  put<<<1, 1>>>(device);
  int host = 0;
  OK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host == 42);
  std::printf("and after a reset it works again\n");
}
