//: WARPGRADE_CHECK=races
//= initialization error
//! WARPGRADE_CHECK=races is not known; allowed: all, none, or a list of memory,race,init,barrier
// A variable of the environment that is wrong: one line, and every call fails.
#include "check.hpp"

int main() {
  void* pointer;
  IS(cudaMalloc(&pointer, 4), cudaErrorInitializationError);
  int count;
  IS(cudaGetDeviceCount(&count), cudaErrorInitializationError);
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
