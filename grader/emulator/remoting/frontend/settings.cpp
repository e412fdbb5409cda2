// Settings that change nothing on the emulator, and host memory that a program registers.
#include "remoting/frontend/connection.hpp"

using namespace warpgrade::remoting;

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaInitDevice(int, unsigned, unsigned) { return cudaSuccess; }
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t) { return cudaSuccess; }
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

// The memory stays the program's own, so that kernels cannot access it; copies count as those of pinned
// memory.
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
  return pointer != nullptr && bytes != 0 && register_own(pointer, bytes) ? cudaSuccess
                                                                          : failed(cudaErrorInvalidValue);
}
cudaError_t cudaHostUnregister(void* pointer) {
  return unregister_own(pointer) ? cudaSuccess : failed(cudaErrorHostMemoryNotRegistered);
}

}  // extern "C"
#pragma GCC visibility pop
