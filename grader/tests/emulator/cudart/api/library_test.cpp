#include <doctest/doctest.h>

#include <random>
#include <string>

#include "cudart/api/api.hpp"
#include "cudart/api/warpgrade.h"

namespace {

const std::string kPtx = R"(.version 8.0
.target sm_75
.address_size 64
.visible .const .align 4 .b32 launch_shape[4] = {16, 16, 16, 16};
.visible .global .align 8 .b64 seen;
.visible .entry put(.param .u64 out, .param .u8 small, .param .u32 value)
{
  .reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .b16 %rs<2>;
  ld.param.u64 %rd1, [out];
  ld.param.u8 %rs1, [small];
  ld.param.u32 %r1, [value];
  cvt.u32.u16 %r2, %rs1;
  add.s32 %r1, %r1, %r2;
  st.global.u32 [%rd1], %r1;
  ret;
}
.visible .entry stop() { trap; }
.visible .entry narrow() .maxntid 64, 1, 1 { ret; }
)";

cudaError_t load(cudaLibrary_t* library, const void* code) {
  return cudaLibraryLoadData(library, code, nullptr, nullptr, 0, nullptr, nullptr, 0);
}

struct Loaded {
  cudaLibrary_t library = nullptr;
  Loaded() { REQUIRE(load(&library, kPtx.c_str()) == cudaSuccess); }
  ~Loaded() {
    cudaLibraryUnload(library);
    cudaGetLastError();
  }
  const void* kernel(const char* name) const {
    cudaKernel_t found = nullptr;
    REQUIRE(cudaLibraryGetKernel(&found, library, name) == cudaSuccess);
    return found;
  }
};

}  // namespace

TEST_CASE("a kernel by name, its parameters packed as it wants them") {
  Loaded l;
  int* device;
  REQUIRE(cudaMalloc(reinterpret_cast<void**>(&device), 4) == cudaSuccess);
  unsigned char small = 200;
  unsigned value = 1000;
  void* arguments[] = {&device, &small, &value};
  CHECK(cudaLaunchKernel(l.kernel("put"), dim3(1), dim3(1), arguments, 0, nullptr) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  int result = 0;
  CHECK(cudaMemcpy(&result, device, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(result == 1200);
  std::size_t offset, bytes;
  CHECK(cudaFuncGetParamInfo(l.kernel("put"), 2, &offset, &bytes) == cudaSuccess);
  CHECK(offset == 12);
  CHECK(bytes == 4);
  CHECK(cudaFuncGetParamInfo(l.kernel("put"), 3, &offset, &bytes) == cudaErrorInvalidValue);
  const char* name = nullptr;
  CHECK(cudaFuncGetName(&name, l.kernel("put")) == cudaSuccess);
  CHECK(std::string(name) == "put");
  cudaFree(device);
}

TEST_CASE("variables by name") {
  Loaded l;
  void* shape;
  std::size_t bytes;
  REQUIRE(cudaLibraryGetGlobal(&shape, &bytes, l.library, "launch_shape") == cudaSuccess);
  CHECK(bytes == 16);
  int host[4] = {};
  CHECK(cudaMemcpy(host, shape, 16, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(host[3] == 16);
  CHECK(cudaLibraryGetGlobal(&shape, &bytes, l.library, "none") == cudaErrorSymbolNotFound);
  unsigned count = 0;
  CHECK(cudaLibraryGetKernelCount(&count, l.library) == cudaSuccess);
  CHECK(count == 3);
}

TEST_CASE("launches that cannot be") {
  Loaded l;
  const void* narrow = l.kernel("narrow");
  CHECK(cudaLaunchKernel(narrow, dim3(1), dim3(65), nullptr, 0, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaLaunchKernel(narrow, dim3(0), dim3(64), nullptr, 0, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaLaunchKernel(narrow, dim3(1), dim3(64), nullptr, 49153, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaLaunchKernel(l.kernel("put"), dim3(1), dim3(1), nullptr, 0, nullptr) == cudaErrorInvalidValue);
  CHECK(cudaLaunchKernel(nullptr, dim3(1), dim3(1), nullptr, 0, nullptr) == cudaErrorInvalidDeviceFunction);
  CHECK(cudaLaunchKernel(&l, dim3(1), dim3(1), nullptr, 0, nullptr) == cudaErrorInvalidResourceHandle);
  CHECK(cudaLaunchCooperativeKernel(narrow, dim3(100000), dim3(64), nullptr, 0, nullptr) ==
        cudaErrorCooperativeLaunchTooLarge);
  CHECK(cudaLaunchKernel(narrow, dim3(1), dim3(64), nullptr, 0, nullptr) == cudaSuccess);
}

TEST_CASE("a trap is returned by the next call that needs the context, until the reset") {
  {
    Loaded l;
    CHECK(cudaLaunchKernel(l.kernel("stop"), dim3(1), dim3(1), nullptr, 0, nullptr) == cudaSuccess);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(warpgradeFindingCount() == 1);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
    CHECK(cudaGetLastError() == cudaSuccess);
    void* pointer;
    CHECK(cudaMalloc(&pointer, 4) == cudaErrorLaunchFailure);
    CHECK(cudaDeviceReset() == cudaSuccess);
    CHECK(cudaMalloc(&pointer, 4) == cudaSuccess);
    CHECK(cudaFree(pointer) == cudaSuccess);
    CHECK(cudaLibraryUnload(l.library) == cudaErrorInvalidResourceHandle);  // gone with the context
  }
  cudaGetLastError();
}

TEST_CASE("code that is none") {
  cudaLibrary_t library;
  CHECK(load(&library, nullptr) == cudaErrorInvalidValue);
  CHECK(load(&library, "") == cudaErrorInvalidKernelImage);
  CHECK(load(&library, "garbage garbage garbage") == cudaErrorInvalidKernelImage);
  CHECK(load(&library, ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry f() { %% }\n") ==
        cudaErrorInvalidPtx);
  CHECK(cudaLibraryLoadFromFile(&library, "/nowhere/kernel.fatbin", nullptr, nullptr, 0, nullptr, nullptr,
                                0) == cudaErrorFileNotFound);
  CHECK(cudaGetLastError() == cudaErrorFileNotFound);
}

TEST_CASE("damaged PTX gives an error or loads, and never more") {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string text = kPtx;
    for (int i = 0; i < 3; ++i) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random() % 95 + 32);
          break;
        case 1:
          text.erase(at, random() % 8);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 12));
          break;
      }
    }
    cudaLibrary_t library;
    const cudaError_t code = load(&library, text.c_str());
    if (code == cudaSuccess)
      CHECK(cudaLibraryUnload(library) == cudaSuccess);
    else
      CHECK((code == cudaErrorInvalidPtx || code == cudaErrorInvalidKernelImage ||
             code == cudaErrorNoKernelImageForDevice || code == cudaErrorMemoryAllocation));
  }
  cudaGetLastError();
}
