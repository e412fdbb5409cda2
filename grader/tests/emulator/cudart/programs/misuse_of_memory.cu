//= every mistake was told
//! was freed before, allocated at
//! error[WG109]
//! is not the start of an allocation
//! warning[WG110]
//! of 400 bytes was never freed, allocated at
//! the kind of copy says host to device, but the destination is host memory and the source is device memory
//! the kind of copy says that the source is device memory, but it is not
// What the host does wrong with memory: an error code each, as on the hardware, and a finding.
#include "check.hpp"

int main() {
  int *twice, *inside, *left, *pinned, local = 0;
  OK(cudaMalloc(&twice, 100));
  OK(cudaMalloc(&inside, 100));
  OK(cudaMallocHost(&pinned, 100));
  OK(cudaMalloc(&left, 400));
  IS(cudaMemcpy(&local, twice, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  IS(cudaMemcpy(twice, &local, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  IS(cudaMemcpy(twice, &local, 4, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  OK(cudaMemcpy(pinned, twice, 4, cudaMemcpyDeviceToHost));
  OK(cudaFree(twice));
  IS(cudaFree(twice), cudaErrorInvalidValue);
  IS(cudaFree(inside + 1), cudaErrorInvalidValue);
  IS(cudaFree(&local), cudaErrorInvalidValue);
  IS(cudaFree(pinned), cudaErrorInvalidValue);
  OK(cudaFree(inside));
  OK(cudaFreeHost(pinned));
  OK(cudaFree(nullptr));
  std::puts("every mistake was told");
}
