//= running
//? 7
//: WARPGRADE_THREADS=3 WARPGRADE_CHECK=none
// As exit_while_running, with blocks on several workers: nothing in this kernel looks at other blocks.
#include <thread>

#include "check.hpp"

__global__ void forever(int* started, unsigned n) {
  *started = 1;
  for (unsigned i = 2u * n + 1u; i != 0; i = i * 1664525u + 2u)  // stays odd
    if (i == 4u) *started = 2;
}

int main() {
  int* started;
  OK(cudaMallocHost(&started, sizeof(int)));
  *started = 0;
  std::thread([=] {
    while (*static_cast<volatile int*>(started) == 0) std::this_thread::yield();
    std::puts("running");
    std::exit(7);
  }).detach();
  forever<<<8, 32>>>(started, 10);
  cudaDeviceSynchronize();
  return 1;
}
