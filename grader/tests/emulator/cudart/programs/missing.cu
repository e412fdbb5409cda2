//= not supported
//! cudaIpcCloseMemHandle: the emulator does not have it
// A function that the emulator has not: an error and its name, never a failed start.
#include "check.hpp"

int main() {
  IS(cudaIpcCloseMemHandle(nullptr), cudaErrorNotSupported);
  IS(cudaGetLastError(), cudaErrorNotSupported);
  std::printf("not supported\n");
}
