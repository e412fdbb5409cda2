// Library management: code that is loaded by name. It is parsed at once, so errors are reported by the call
// that loads it; NVIDIA's library reports them at the first use.
#include <cstring>
#include <fstream>
#include <iterator>

#include "cudart/api/api.hpp"
#include "fatbin/host_memory.hpp"

using namespace warpgrade;
using namespace warpgrade::cudart;

namespace {

constexpr std::uint32_t kContainerMagic = 0xBA55ED50;
constexpr std::uint32_t kWrapperMagic = 0x466243B1;

DeviceCode& library(Runtime& r, cudaLibrary_t handle) {
  DeviceCode* found = r.registry.find_code(handle);
  require(found != nullptr, cudaErrorInvalidResourceHandle);
  return *found;
}

void add(Runtime& r, cudaLibrary_t* out, std::unique_ptr<DeviceCode> code) {
  DeviceCode& added = r.registry.add_library(std::move(code));
  try {
    r.program(added);
  } catch (...) {
    r.registry.remove(added);
    throw;
  }
  *out = reinterpret_cast<cudaLibrary_t>(&added);
}

// The header of a fat binary states its length; PTX text ends with NUL.
std::unique_ptr<DeviceCode> from_memory(const void* code) {
  if (!readable(code, 1)) fail(cudaErrorInvalidValue, "%p is not an address of this program", code);
  std::uint32_t magic = 0;
  if (std::strlen(static_cast<const char*>(code)) >= sizeof magic) std::memcpy(&magic, code, sizeof magic);
  if (magic == kWrapperMagic && readable(code, 24)) {
    const void* container = nullptr;
    std::memcpy(&container, static_cast<const char*>(code) + 8, sizeof container);
    return DeviceCode::embedded({container}, "fat binary");
  }
  if (magic == kContainerMagic) return DeviceCode::embedded({code}, "fat binary");
  return DeviceCode::copied(static_cast<const char*>(code), "PTX");
}

void find_variable(Runtime& r, void** pointer, std::size_t* bytes, cudaLibrary_t handle, const char* name) {
  require(name != nullptr && (pointer != nullptr || bytes != nullptr), cudaErrorInvalidValue);
  const emulator::Allocation* found = r.program(library(r, handle)).find_variable(name);
  require(found != nullptr, cudaErrorSymbolNotFound);
  if (pointer != nullptr) *pointer = reinterpret_cast<void*>(found->base);
  if (bytes != nullptr) *bytes = found->bytes;
}

}  // namespace

extern "C" {

cudaError_t cudaLibraryLoadData(cudaLibrary_t* out, const void* code, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  return call(__func__, [&](Runtime& r) {
    require(out != nullptr && code != nullptr, cudaErrorInvalidValue);
    add(r, out, from_memory(code));
  });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* out, const char* path, cudaJitOption*, void**, unsigned,
                                    cudaLibraryOption*, void**, unsigned) {
  return call(__func__, [&](Runtime& r) {
    require(out != nullptr && path != nullptr, cudaErrorInvalidValue);
    std::ifstream file(path, std::ios::binary);
    if (!file) fail(cudaErrorFileNotFound, "%s cannot be read", path);
    add(r, out, DeviceCode::copied({std::istreambuf_iterator<char>(file), {}}, path));
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t handle) {
  return call(__func__, [&](Runtime& r) { r.registry.remove(library(r, handle)); });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t handle, const char* name) {
  return call(__func__, [&](Runtime& r) {
    require(kernel != nullptr && name != nullptr, cudaErrorInvalidValue);
    DeviceCode& code = library(r, handle);
    require(r.program(code).find_kernel(name) != nullptr, cudaErrorSymbolNotFound);
    *kernel = reinterpret_cast<cudaKernel_t>(&r.registry.handle(code, name));
  });
}

cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t handle) {
  return call(__func__, [&](Runtime& r) {
    require(count != nullptr, cudaErrorInvalidValue);
    *count = static_cast<unsigned>(r.program(library(r, handle)).kernels().size());
  });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count, cudaLibrary_t handle) {
  return call(__func__, [&](Runtime& r) {
    require(kernels != nullptr || count == 0, cudaErrorInvalidValue);
    DeviceCode& code = library(r, handle);
    for (const emulator::KernelInfo* each : r.program(code).kernels()) {
      if (count-- == 0) break;
      *kernels++ = reinterpret_cast<cudaKernel_t>(&r.registry.handle(code, each->name));
    }
  });
}

cudaError_t cudaLibraryGetGlobal(void** pointer, std::size_t* bytes, cudaLibrary_t handle, const char* name) {
  return call(__func__, [&](Runtime& r) { find_variable(r, pointer, bytes, handle, name); });
}

cudaError_t cudaLibraryGetManaged(void** pointer, std::size_t* bytes, cudaLibrary_t handle,
                                  const char* name) {
  return call(__func__, [&](Runtime& r) { find_variable(r, pointer, bytes, handle, name); });
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
  return call(__func__, [&](Runtime& r) {
    require(kernel != nullptr, cudaErrorInvalidValue);
    *kernel = reinterpret_cast<cudaKernel_t>(&r.function(stub));
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* stub) {
  return call(__func__, [&](Runtime& r) {
    require(function != nullptr, cudaErrorInvalidValue);
    *function = reinterpret_cast<cudaFunction_t>(&r.function(stub));
  });
}

}  // extern "C"
