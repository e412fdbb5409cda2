//= f of 20 is 41
//= 2 kernels
// Code loaded by name, from PTX text in memory.
#include <cstring>

#include "check.hpp"

const char* const kPtx = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .const .align 4 .b32 factor = 2;
.visible .entry f(.param .u64 out, .param .u32 x)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  ld.param.u32 %r1, [x];
  ld.const.u32 %r2, [factor];
  mad.lo.s32 %r3, %r1, %r2, 1;
  st.global.u32 [%rd2], %r3;
  ret;
}
.visible .entry g() { ret; }
)";

int main() {
  cudaLibrary_t library;
  OK(cudaLibraryLoadData(&library, kPtx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  cudaKernel_t kernel;
  OK(cudaLibraryGetKernel(&kernel, library, "f"));
  IS(cudaLibraryGetKernel(&kernel, library, "h"), cudaErrorSymbolNotFound);
  int* device;
  OK(cudaMalloc(&device, sizeof(int)));
  int x = 20, host = 0;
  void* arguments[] = {&device, &x};
  OK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), 1, 1, arguments, 0, nullptr));
  OK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("f of 20 is %d\n", host);
  void* factor;
  std::size_t bytes;
  OK(cudaLibraryGetGlobal(&factor, &bytes, library, "factor"));
  CHECK(bytes == 4);
  IS(cudaLibraryGetGlobal(&factor, &bytes, library, "none"), cudaErrorSymbolNotFound);
  unsigned kernels = 0;
  OK(cudaLibraryGetKernelCount(&kernels, library));
  std::printf("%u kernels\n", kernels);
  OK(cudaLibraryUnload(library));
  IS(cudaLibraryLoadFromFile(&library, "/nowhere.fatbin", nullptr, nullptr, 0, nullptr, nullptr, 0),
     cudaErrorFileNotFound);
}
