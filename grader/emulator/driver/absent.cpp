// build/emulator/libcuda.so.1: there is no driver here, and who asks for one is told why. That is a program
// with the static CUDA runtime, which is nvcc's default, or one that calls the driver's interface itself.
#include <cstdio>

namespace {

__attribute__((constructor)) void tell() {
  std::fputs(
      "warpgrade: this program looks for the CUDA driver, which the emulator has not. Was it built without "
      "-cudart shared? Then build it again with:  nvcc -cudart shared …  (programs that call the driver's "
      "own functions, cu…, or NVRTC do not run here)\n",
      stderr);
}

}  // namespace
