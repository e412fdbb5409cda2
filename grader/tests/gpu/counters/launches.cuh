// How the programs of counters.py launch: one kernel at a time, each with its label.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace {

void must(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "counters: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(4);
}

template <class... Parameters, class... Arguments>
void run(const char* label, void (*kernel)(Parameters...), dim3 grid, dim3 block, Arguments... arguments) {
  std::printf("%s\n", label);
  std::fflush(stdout);
  kernel<<<grid, block>>>(static_cast<Parameters>(arguments)...);
  must(cudaDeviceSynchronize(), label);
}

}  // namespace
