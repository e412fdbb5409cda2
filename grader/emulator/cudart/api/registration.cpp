// Functions that nvcc's host code calls (crt/host_runtime.h of the toolkit): registration before main(), the
// <<<>>> configuration, and launches. None touches the device before the program needs it.
#include <cstring>

#include "cudart/api/api.hpp"

using namespace warpgrade::cudart;

namespace {

// The argument of __cudaRegisterFatBinary (fatBinaryCtl.h).
struct Wrapper {
  std::uint32_t magic, version;
  const void* data;
  const void* const* list;  // version 2: the containers that were linked to `data`, then null
};
constexpr std::uint32_t kMagic = 0x466243B1;
constexpr std::uint32_t kOneContainer = 1, kLinked = 2;

// The containers to load. For relocatable code (-rdc=true) these are the parts, since only they hold PTX.
std::vector<const void*> containers_of(const Wrapper& wrapper) {
  if (wrapper.version != kLinked || wrapper.list == nullptr) return {wrapper.data};
  std::vector<const void*> all;
  for (const void* const* each = wrapper.list; *each != nullptr; ++each) all.push_back(*each);
  return all.empty() ? std::vector<const void*>{wrapper.data} : all;
}

std::unique_ptr<DeviceCode> code_of(const Wrapper* wrapper) {
  if (wrapper == nullptr || wrapper->magic != kMagic ||
      (wrapper->version != kOneContainer && wrapper->version != kLinked))
    return DeviceCode::refused(cudaErrorInvalidKernelImage, "the program's fat binary has no valid wrapper");
  return DeviceCode::embedded(containers_of(*wrapper), "the program");
}

struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
  const void* call;  // return address in the program
};
// No object with a destructor: destructors of the program may launch after those of the thread have run.
constexpr int kMostConfigurations = 32;
struct Configurations {
  Configuration items[kMostConfigurations];
  int count;
};
thread_local Configurations configurations;

DeviceCode& code(void** handle) { return *reinterpret_cast<DeviceCode*>(handle); }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  return reinterpret_cast<void**>(&Registry::instance().add(code_of(static_cast<const Wrapper*>(wrapper))));
}

void __cudaRegisterFatBinaryEnd(void**) {}

// At exit. The code stays: other atexit handlers may still launch, and the process ends anyway.
void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  Registry::instance().add_stub(host, code(handle), name);
}

void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t bytes, int, int) {
  Registry::instance().add_symbol(host, {&code(handle), name, bytes, nullptr, {}});
}

void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}

void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, std::size_t bytes,
                              int, int) {
  Registry::instance().add_symbol(host, {&code(handle), name, bytes, host, {}});
}

// Called before the host's first access to a managed variable.
char __cudaInitModule(void** handle) {
  return call(__func__, [&](Runtime& r) { r.program(code(handle)); }) == cudaSuccess ? 1 : 0;
}

// Compiled code skips the launch unless this returns 0.
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, void* stream) {
  if (configurations.count == kMostConfigurations) return cudaErrorMemoryAllocation;
  configurations.items[configurations.count++] = {grid, block, shared, static_cast<cudaStream_t>(stream),
                                                  __builtin_return_address(0)};
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  if (configurations.count == 0) {
    set_last_error(cudaErrorMissingConfiguration);
    return cudaErrorMissingConfiguration;
  }
  const Configuration now = configurations.items[--configurations.count];
  *grid = now.grid;
  *block = now.block;
  *shared = now.shared;
  std::memcpy(stream, &now.stream, sizeof now.stream);
  announce_launch(now.call);
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) { return cudaGetKernel(kernel, stub); }

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared, cudaStream_t stream) {
  const PerThreadDefault scope;
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

}  // extern "C"
#pragma GCC visibility pop
