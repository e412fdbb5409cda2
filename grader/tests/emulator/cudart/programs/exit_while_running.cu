//= running
//? 7
//: WARPGRADE_THREADS=3
// A program that exits on one thread while a kernel that never ends runs on another exits at once.
#include <thread>

#include "check.hpp"

__global__ void forever(volatile int* started, volatile int* stop) {
  *started = 1;
  while (*stop == 0) {
  }
}

int main() {
  int *started, *stop;
  OK(cudaMallocHost(&started, sizeof(int)));
  OK(cudaMallocHost(&stop, sizeof(int)));
  *started = *stop = 0;
  std::thread([=] {
    while (*static_cast<volatile int*>(started) == 0) std::this_thread::yield();
    std::puts("running");
    std::exit(7);
  }).detach();
  forever<<<8, 32>>>(started, stop);
  cudaDeviceSynchronize();
  return 1;
}
