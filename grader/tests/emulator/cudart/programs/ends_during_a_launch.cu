//= abort: signal 6
//= exit: exit 5
//= _exit: exit 6
//= quick_exit: exit 7
//= an exception that nobody catches: signal 6
//= SIGINT: signal 2
//= SIGTERM: signal 15
//= a handler that exits: exit 8
//= a fault of another thread: signal 11
//= fork before CUDA: exit 0
//= fork after CUDA: exit 0
//! fork() after the first CUDA call leaves the child without CUDA
//: WARPGRADE_THREADS=3 WARPGRADE_CHECK=none
// A kernel that never ends stops nobody from ending the program. A child of a program that uses CUDA has none.
#include <csignal>
#include <stdexcept>
#include <thread>

#include "processes.hpp"

__global__ void forever(volatile int* started, unsigned n) {
  *started = 1;
  for (unsigned i = 2u * n + 1u; i != 0; i = i * 1664525u + 2u)  // stays odd
    if (i == 4u) *started = 2;
}
__global__ void twice(int* values) { values[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }

// `act` runs on a thread of its own while the kernel runs on this one.
template <class Act>
void during_a_launch(const char* what, Act act) {
  process(what, [act] {
    volatile int* started;
    OK(cudaMallocHost(const_cast<int**>(&started), sizeof(int)));
    *started = 0;
    std::thread([=] {
      while (*started == 0) std::this_thread::yield();
      act();
    }).detach();
    forever<<<8, 32>>>(started, 10);
    cudaDeviceSynchronize();
    _exit(1);
  });
}

void use() {
  int *device, host[32] = {0, 1, 2, 3};
  OK(cudaMalloc(&device, sizeof host));
  OK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  twice<<<8, 4>>>(device);
  OK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host[3] == 6);
  OK(cudaFree(device));
}

int main() {
  during_a_launch("abort", [] { std::abort(); });
  during_a_launch("exit", [] { std::exit(5); });
  during_a_launch("_exit", [] { _exit(6); });
  during_a_launch("quick_exit", [] { std::quick_exit(7); });
  during_a_launch("an exception that nobody catches", [] {
    std::set_terminate([] { std::abort(); });
    throw std::runtime_error("lost");
  });
  during_a_launch("SIGINT", [] { kill(getpid(), SIGINT); });
  during_a_launch("SIGTERM", [] { kill(getpid(), SIGTERM); });
  during_a_launch("a handler that exits", [] {
    std::signal(SIGUSR1, [](int) { _exit(8); });
    kill(getpid(), SIGUSR1);
  });
  during_a_launch("a fault of another thread", [] {
    volatile int* volatile null = nullptr;
    *null = 1;
  });
  process("fork before CUDA", use);
  use();
  process("fork after CUDA", [] {
    int* device = nullptr;
    IS(cudaMalloc(&device, 4), cudaErrorInitializationError);
    IS(cudaDeviceSynchronize(), cudaErrorInitializationError);
    CHECK(cudaGetErrorName(cudaErrorInitializationError)[0] == 'c');
  });
  use();
}
