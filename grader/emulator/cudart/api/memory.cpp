// Memory management: allocation, pinned and registered host memory, what a pointer points to.
#include <cstdio>
#include <cstring>

#include "cudart/api/api.hpp"
#include "cudart/memory/allocate.hpp"
#include "cudart/memory/host_errors.hpp"
#include "symbols/host_call_site.hpp"

using namespace warpgrade;
using namespace warpgrade::cudart;
using Kind = emulator::Allocation::Kind;

namespace warpgrade::cudart {
namespace {

// Larger allocations are not checked for unwritten bytes: the bits take an eighth of the size, and filling
// touches every page.
constexpr std::size_t kMostWatched = std::size_t{1} << 30;
constexpr std::size_t kPitchUnit = 512;

bool usable(const emulator::Allocation* found) { return found != nullptr && !found->freed; }

}  // namespace

void* allocate(Runtime& runtime, std::size_t bytes, Kind kind, const void* caller) {
  if (bytes == 0) return nullptr;
  emulator::Allocation* made = runtime.memory.allocate(bytes, kind);
  require(made != nullptr, cudaErrorMemoryAllocation);
  made->allocated_at = caller == nullptr ? nullptr : emulator::call_in_program(caller);
  // The host writes to managed and pinned memory without a call that the emulator sees.
  if (kind == Kind::device && runtime.config.options.check_init && bytes <= kMostWatched) {
    std::memset(made->data(), emulator::kUnwrittenByte, bytes);
    made->written.assign((bytes + 7) / 8, 0);
  }
  return reinterpret_cast<void*>(made->base);
}

void release(Runtime& runtime, void* pointer, bool pinned, const void* caller) {
  if (pointer == nullptr) return;
  const auto base = reinterpret_cast<std::uint64_t>(pointer);
  emulator::Allocation* found = runtime.memory.find(base);
  const auto refuse = [&](const std::string& why) {
    char address[24];
    std::snprintf(address, sizeof address, "%p", pointer);
    report_invalid_free(runtime, found, address + why);
    throw Failure{cudaErrorInvalidValue, address + why, true};
  };
  if (found == nullptr || found->base != base || !runtime.memory.in_range(base))
    refuse(" is not the start of an allocation");
  if (found->freed) refuse(" was freed before");
  const bool right =
      pinned ? found->kind == Kind::pinned : found->kind == Kind::device || found->kind == Kind::managed;
  if (!right)
    refuse(pinned                        ? " is not pinned host memory"
           : found->kind == Kind::pinned ? " is pinned host memory; use cudaFreeHost"
                                         : " is a variable of the program");
  found->freed_at = caller == nullptr ? nullptr : emulator::call_in_program(caller);
  if (runtime.graph_memory.contains(pointer))
    found->freed = true;
  else
    runtime.memory.release(base);
}

std::size_t pitch_of(std::size_t width) { return (width + kPitchUnit - 1) / kPitchUnit * kPitchUnit; }

}  // namespace warpgrade::cudart

namespace {

cudaError_t allocate_into(const char* function, void** pointer, std::size_t bytes, Kind kind,
                          const void* caller) {
  return call(function, [&](Runtime& r) {
    require(pointer != nullptr, cudaErrorInvalidValue);
    r.handles.forbid_in_capture();
    r.order.host_waits_for_all(r);  // CUDA C++ Programming Guide, "Stream-Ordered Memory Allocator"
    *pointer = allocate(r, bytes, kind, caller);
  });
}

std::size_t product(std::size_t a, std::size_t b) {
  std::size_t result = 0;
  require(!__builtin_mul_overflow(a, b, &result), cudaErrorMemoryAllocation);
  return result;
}

// The pinned or registered memory that holds the pointer.
emulator::Allocation& pinned(Runtime& r, const void* pointer) {
  emulator::Allocation* found = r.memory.find(reinterpret_cast<std::uint64_t>(pointer));
  require(usable(found) && found->kind == Kind::pinned, cudaErrorInvalidValue);
  return *found;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return allocate_into(__func__, pointer, bytes, Kind::device, __builtin_return_address(0));
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
    return call(__func__, [](Runtime&) { fail(cudaErrorInvalidValue); });
  return allocate_into(__func__, pointer, bytes, Kind::managed, __builtin_return_address(0));
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return allocate_into(__func__, pointer, bytes, Kind::pinned, __builtin_return_address(0));
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  constexpr unsigned kKnown = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  if ((flags & ~kKnown) != 0) return call(__func__, [](Runtime&) { fail(cudaErrorInvalidValue); });
  return allocate_into(__func__, pointer, bytes, Kind::pinned, __builtin_return_address(0));
}

cudaError_t cudaFree(void* pointer) {
  const void* const caller = __builtin_return_address(0);
  return call(__func__, [&](Runtime& r) {
    r.handles.forbid_in_capture();
    if (r.handles.is_stream_ordered(pointer)) r.order.released_at_once(r, pointer);
    host_waits_for_all(r);
    release(r, pointer, false, caller);
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  const void* const caller = __builtin_return_address(0);
  return call(__func__, [&](Runtime& r) {
    host_waits_for_all(r);
    release(r, pointer, true, caller);
  });
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  const void* const caller = __builtin_return_address(0);
  return call(__func__, [&](Runtime& r) {
    require(pointer != nullptr && pitch != nullptr, cudaErrorInvalidValue);
    *pitch = pitch_of(width);
    *pointer = allocate(r, product(*pitch, height), Kind::device, caller);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* made, cudaExtent extent) {
  const void* const caller = __builtin_return_address(0);
  return call(__func__, [&](Runtime& r) {
    require(made != nullptr, cudaErrorInvalidValue);
    const std::size_t pitch = pitch_of(extent.width);
    void* at = allocate(r, product(product(pitch, extent.height), extent.depth), Kind::device, caller);
    *made = {at, pitch, extent.width, extent.height};
  });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
  const void* const caller = __builtin_return_address(0);
  return call(__func__, [&](Runtime& r) {
    require(pointer != nullptr && bytes != 0, cudaErrorInvalidValue);
    const auto base = reinterpret_cast<std::uint64_t>(pointer);
    emulator::Allocation* const made = r.memory.in_range(base) ? nullptr : r.memory.adopt(base, bytes);
    require(made != nullptr, cudaErrorHostMemoryAlreadyRegistered);
    made->allocated_at = emulator::call_in_program(caller);
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return call(__func__, [&](Runtime& r) {
    host_waits_for_all(r);
    const auto base = reinterpret_cast<std::uint64_t>(pointer);
    require(!r.memory.in_range(base) && r.memory.release(base) == emulator::DeviceMemory::Freed::done,
            cudaErrorHostMemoryNotRegistered);
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return call(__func__, [&](Runtime& r) {
    require(device != nullptr, cudaErrorInvalidValue);
    pinned(r, host);
    *device = host;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return call(__func__, [&](Runtime& r) {
    require(flags != nullptr, cudaErrorInvalidValue);
    pinned(r, host);
    *flags = cudaHostAllocMapped;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return call(__func__, [&](Runtime& r) {
    require(attributes != nullptr, cudaErrorInvalidValue);
    const emulator::Allocation* found = r.memory.find(reinterpret_cast<std::uint64_t>(pointer));
    void* const same = const_cast<void*>(pointer);
    *attributes = {};
    if (!usable(found)) {
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->device = -2;  // cudaInvalidDeviceId
      attributes->hostPointer = same;
      return;
    }
    attributes->devicePointer = same;
    attributes->type = found->kind == Kind::managed  ? cudaMemoryTypeManaged
                       : found->kind == Kind::pinned ? cudaMemoryTypeHost
                                                     : cudaMemoryTypeDevice;
    if (attributes->type != cudaMemoryTypeDevice) attributes->hostPointer = same;
  });
}

}  // extern "C"
