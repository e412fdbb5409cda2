//= no other thread: cudaErrorLaunchTimeout
//= another thread: cudaSuccess, 42
//! and nobody is left to change it: the host goes on when the kernel has ended
// A kernel that waits for a flag in the host's memory: a thread of the host may raise it, not the one that
// launched.
#include <chrono>
#include <thread>

#include "check.hpp"

__global__ void waits(const volatile int* flag, int* out) {
  while (*flag == 0) {
  }
  *out = *flag;
}

int main() {
  int *flag, *out;
  OK(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped));
  OK(cudaMallocManaged(&out, sizeof(int)));
  *flag = 0;
  std::thread late([flag] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    *static_cast<volatile int*>(flag) = 42;
  });
  waits<<<1, 1>>>(flag, out);
  const cudaError_t with = cudaDeviceSynchronize();
  late.join();
  const int got = *out;

  *flag = 0;
  waits<<<1, 1>>>(flag, out);
  *flag = 42;
  std::printf("no other thread: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  std::printf("another thread: %s, %d\n", cudaGetErrorName(with), got);
  OK(cudaDeviceReset());
}
