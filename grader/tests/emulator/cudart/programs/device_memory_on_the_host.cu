//= reads an element: signal 11
//= writes an element: signal 11
//= prints a string: signal 11
//= copies with memcpy: signal 11
//= gives it to free(): signal 11
//= reads after cudaFree: signal 11
//= reads a device variable: signal 11
//= reads past the end: signal 11
//= catches the signal itself: exit 3
//= managed and pinned memory: exit 0
//= a null pointer: signal 11
//! error[WG116]: the host reads device memory at read_element(int*)+
//! in device_memory_on_the_host: at byte 40 of allocation 1 (400 bytes), allocated at on_memory<
//! , in a call that leads to libc.so.6+
//! 8 bytes before the start of allocation 1 (400 bytes)
//! the host writes device memory at
//! at byte 0 of table (64 bytes)
//! 8 bytes past the end of allocation 1 (400 bytes)
//! freed at
//! cudaMallocManaged
// A program that touches device memory on the host ends as with a card, and is told why. Each case is a
// process of its own.
#include <csignal>
#include <cstring>
#include <vector>

#include "processes.hpp"

__device__ int table[16];

__global__ void twice(int* values) { values[threadIdx.x] *= 2; }

__attribute__((noinline)) void read_element(int* device) { std::printf("%d\n", device[10]); }

template <class Case>
void on_memory(const char* what, Case act) {
  process(what, [act] {
    int* device;
    OK(cudaMalloc(&device, 400));
    act(device);
  });
}

void both_sides_use_it(int* device) {
  int *managed, *pinned;
  OK(cudaMallocManaged(&managed, 128));
  OK(cudaMallocHost(&pinned, 128));
  std::vector<int> registered(32, 7);
  OK(cudaHostRegister(registered.data(), 128, 0));
  for (int i = 0; i < 32; ++i) managed[i] = pinned[i] = i;
  OK(cudaMemcpy(device, pinned, 128, cudaMemcpyHostToDevice));
  twice<<<1, 32>>>(managed);
  twice<<<1, 32>>>(pinned);
  twice<<<1, 32>>>(registered.data());
  twice<<<1, 32>>>(device);
  OK(cudaDeviceSynchronize());
  int back[32];
  OK(cudaMemcpy(back, device, 128, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; ++i)
    CHECK(managed[i] == 2 * i && pinned[i] == 2 * i && registered[i] == 14 && back[i] == 2 * i);
}

int main() {
  on_memory("reads an element", read_element);
  on_memory("writes an element", [](int* device) { device[0] = 1; });
  on_memory("prints a string", [](int* device) { std::printf("%s\n", reinterpret_cast<char*>(device)); });
  on_memory("copies with memcpy", [](int* device) {
    std::vector<int> host(100);
    std::memcpy(host.data(), device, 400);
    std::printf("%d\n", host[5]);
  });
  on_memory("gives it to free()", [](int* device) { std::free(device); });
  on_memory("reads after cudaFree", [](int* device) {
    OK(cudaFree(device));
    read_element(device);
  });
  on_memory("reads a device variable", [](int*) {
    void* at;
    OK(cudaGetSymbolAddress(&at, table));
    std::printf("%d\n", *static_cast<int*>(at));
  });
  on_memory("reads past the end", [](int* device) { std::printf("%d\n", device[102]); });
  on_memory("catches the signal itself", [](int* device) {
    std::signal(SIGSEGV, [](int) { _exit(3); });
    device[0] = 1;
  });
  on_memory("managed and pinned memory", both_sides_use_it);
  on_memory("a null pointer", [](int*) {
    volatile int* volatile null = nullptr;
    *null = 1;
  });
}
