// build/emulator/libcuda.so.1: says why there is no driver. Programs with the static CUDA runtime, which is
// nvcc's default, look for one, and so do programs that call the driver API themselves.
#include <cstdio>

namespace {

__attribute__((constructor)) void explain_absence() {
  std::fputs(
      "warpgrade: this program looks for the CUDA driver, which the emulator has not. Was it built without "
      "-cudart shared? Then build it again with:  nvcc -cudart shared …  (programs that call the driver's "
      "own functions, cu…, or NVRTC do not run here)\n",
      stderr);
}

}  // namespace
