//= damaged, truncated, empty, not PTX
//= 42
//! the fat binary says that it has
// Fat binaries that are not what nvcc made are refused when their kernels are used; the program's other
// kernels go on.
#include <cstring>

#include "check.hpp"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name, int threads,
                            uint3* thread, uint3* block, dim3* size, dim3* grid, int* warp);
}

struct Wrapper {
  int magic, version;
  const void* data;
  void* more;
};

// What a launch from this image ends with.
cudaError_t launch(const void* image, char* stub, int magic = 0x466243b1) {
  static Wrapper wrappers[8];
  static int used = 0;
  Wrapper& wrapper = wrappers[used++];
  wrapper = {magic, 1, image, nullptr};
  void** handle = __cudaRegisterFatBinary(&wrapper);
  char name[] = "kernel";
  __cudaRegisterFunction(handle, stub, name, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFatBinaryEnd(handle);
  void* arguments[1] = {};
  const cudaError_t error = cudaLaunchKernel(stub, dim3(1), dim3(1), arguments, 0, nullptr);
  cudaGetLastError();
  return error;
}

__global__ void answer(int* out) { *out = 42; }

int main() {
  static char stubs[5];
  unsigned words[16] = {0xba55ed50, 0x00100001, 0x7fffffff, 0x7fffffff};  // a container of 2^63 bytes
  IS(launch(words, &stubs[0], 7), cudaErrorInvalidKernelImage);
  std::printf("damaged, ");
  IS(launch(words, &stubs[1]), cudaErrorInvalidKernelImage);
  std::printf("truncated, ");
  const unsigned empty[4] = {0xba55ed50, 0x00100001, 0, 0};
  IS(launch(empty, &stubs[2]), cudaErrorNoKernelImageForDevice);
  std::printf("empty, ");
  IS(launch(".version 8.0\n.target sm_80\n.address_size 64\nno PTX at all", &stubs[3]), cudaErrorInvalidPtx);
  std::printf("not PTX\n");
  int *device, host = 0;
  OK(cudaMalloc(&device, sizeof host));
  answer<<<1, 1>>>(device);
  OK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("%d\n", host);
  OK(cudaFree(device));
}
