//= null read: cudaErrorIllegalAddress
//= null write: cudaErrorIllegalAddress
//= wild address: cudaErrorIllegalAddress
//= address of no form: cudaErrorIllegalAddress
//= wild function: cudaErrorInvalidPc
//= null function: cudaErrorInvalidPc
//= endless recursion: cudaErrorHardwareStackError
//= endless loop: cudaErrorLaunchTimeout
//= trap: cudaErrorLaunchFailure
//= still lost, and found after a reset
//: WARPGRADE_STEP_LIMIT=3000000
//! error[WG106]
//! error[WG108]
//! error[WG153]
//! error[WG141]
//! error[WG152]
// Whatever a kernel does, its launch ends in an error, and all calls after it until the device is reset.
#include "check.hpp"

using Function = int (*)(int);

__global__ void reads(const int* from, int* to) { *to = *from; }
__global__ void writes(int* to) { *to = 1; }
__global__ void calls(unsigned long long function, int* to) {
  *to = reinterpret_cast<Function>(function)(static_cast<int>(threadIdx.x));
}
__device__ __noinline__ int deeper(volatile int* n) {
  volatile int here[64];
  here[n[0] & 63] = n[0];
  return n[0] < 0 ? 0 : deeper(n) + here[n[0] & 63];
}
__global__ void recurses(int* n) { *n = deeper(n); }
__global__ void loops(int* n) {
  for (unsigned i = 2u * static_cast<unsigned>(*n) + 1u; i != 0; i = i * 1664525u + 2u)  // stays odd
    if (i == 4u) *n = 2;
}
__global__ void traps() { __trap(); }

int* good;

template <class Launch>
void fails(const char* what, Launch launch) {
  OK(cudaMalloc(&good, 4));
  OK(cudaMemset(good, 0, 4));
  launch();
  const cudaError_t got = cudaDeviceSynchronize();
  std::printf("%s: %s\n", what, cudaGetErrorName(got));
  IS(cudaMalloc(&good, 4), got);
  OK(cudaDeviceReset());
}

int main() {
  const auto pointer = [](unsigned long long at) { return reinterpret_cast<int*>(at); };
  fails("null read", [] { reads<<<1, 1>>>(nullptr, good); });
  fails("null write", [] { writes<<<1, 32>>>(nullptr); });
  fails("wild address", [=] { reads<<<1, 32>>>(pointer(0x123456789000), good); });
  fails("address of no form", [=] { writes<<<1, 1>>>(pointer(0xdead'0000'dead'0000)); });
  fails("wild function", [] { calls<<<1, 1>>>(0x7d00'1234'5678, good); });
  fails("null function", [] { calls<<<1, 1>>>(0, good); });
  fails("endless recursion", [] { recurses<<<1, 1>>>(good); });
  fails("endless loop", [] { loops<<<1, 1>>>(good); });
  fails("trap", [] { traps<<<1, 1>>>(); });
  OK(cudaMalloc(&good, 4));
  writes<<<1, 1>>>(good);
  OK(cudaDeviceSynchronize());
  OK(cudaFree(good));
  std::puts("still lost, and found after a reset");
}
