// Device management. There is one device, number 0.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "cudart/api/api.hpp"

// Declared in cuda_profiler_api.h, which the compiler's PyPI wheels lack.
#pragma GCC visibility push(default)
extern "C" cudaError_t cudaProfilerStart();
extern "C" cudaError_t cudaProfilerStop();
#pragma GCC visibility pop

using namespace warpgrade::cudart;

namespace {

constexpr const char* kPciBusId = "0000:00:00.0";

void require_device(int device) { require(device == 0, cudaErrorInvalidDevice); }

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return call<Needs::nothing>(__func__, [&](Runtime&) { give(count, 1); });
}

cudaError_t cudaGetDevice(int* device) {
  return call<Needs::nothing>(__func__, [&](Runtime&) { give(device, 0); });
}

cudaError_t cudaSetDevice(int device) {
  return call<Needs::nothing>(__func__, [&](Runtime&) { require_device(device); });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return call<Needs::nothing>(__func__, [&](Runtime&) { require_device(device); });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
  return call<Needs::nothing>(__func__, [&](Runtime&) {
    require(count >= 0 && (count == 0 || devices != nullptr), cudaErrorInvalidValue);
    std::for_each(devices, devices + count, require_device);
  });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  return call<Needs::nothing>(__func__, [&](Runtime&) {
    require(wanted != nullptr, cudaErrorInvalidValue);
    give(device, 0);
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return call<Needs::nothing>(__func__, [&](Runtime& r) { r.device_flags = flags; });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return call<Needs::nothing>(__func__, [&](Runtime& r) { give(flags, r.device_flags); });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  return call<Needs::nothing>(__func__, [&](Runtime& r) {
    require_device(device);
    give(prop, properties(r.gpu));
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  return call<Needs::nothing>(__func__, [&](Runtime& r) {
    require_device(device);
    const auto found = attribute(r.gpu, which);
    require(found.has_value(), cudaErrorInvalidValue);
    give(value, *found);
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call(__func__, [](Runtime& r) {
    r.handles.forbid_in_capture();
    host_waits_for_all(r);
  });
}

cudaError_t cudaDeviceReset() {
  return call<Needs::nothing>(__func__, [](Runtime& r) { r.reset(); });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return call(__func__, [&](Runtime& r) {
    const auto found = r.device_limits.find(limit);
    if (found == r.device_limits.end())
      fail(limit == cudaLimitDevRuntimeSyncDepth ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue);
    give(value, found->second);
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return call(__func__, [&](Runtime& r) {
    const auto found = r.device_limits.find(limit);
    if (found == r.device_limits.end())
      fail(limit == cudaLimitDevRuntimeSyncDepth ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue);
    found->second = value;
    if (limit == cudaLimitMallocHeapSize) r.memory.set_heap_limit(value);
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return call(__func__, [&](Runtime&) { give(config, cudaFuncCachePreferNone); });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return call(__func__, [](Runtime&) {});
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return call(__func__, [&](Runtime&) { give(config, cudaSharedMemBankSizeFourByte); });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return call(__func__, [](Runtime&) {});
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return call(__func__, [](Runtime&) {});
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call(__func__, [&](Runtime&) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int device) {
  return call<Needs::nothing>(__func__, [&](Runtime&) {
    require_device(device);
    require(text != nullptr && bytes > static_cast<int>(std::strlen(kPciBusId)), cudaErrorInvalidValue);
    std::snprintf(text, static_cast<std::size_t>(bytes), "%s", kPciBusId);
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return call<Needs::nothing>(__func__, [&](Runtime&) {
    require(text != nullptr, cudaErrorInvalidValue);
    require(std::strcmp(text, kPciBusId) == 0, cudaErrorInvalidDevice);
    give(device, 0);
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call<Needs::nothing>(__func__, [&](Runtime&) {
    require_device(device);
    require_device(peer);
    give(can, 0);
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return call(__func__, [&](Runtime&) {
    require_device(peer);
    fail(cudaErrorPeerAccessUnsupported);
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return call(__func__, [&](Runtime&) {
    require_device(peer);
    fail(cudaErrorPeerAccessNotEnabled);
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int) {
  return call<Needs::nothing>(__func__, [](Runtime&) { fail(cudaErrorInvalidDevice); });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return call<Needs::nothing>(__func__, [&](Runtime&) { give(version, CUDART_VERSION); });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return call<Needs::nothing>(__func__, [&](Runtime&) { give(version, CUDART_VERSION); });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call(__func__, [&](Runtime& r) {
    require(free != nullptr && total != nullptr, cudaErrorInvalidValue);
    *total = r.memory.total();
    *free = r.memory.total() - r.memory.used();
  });
}

cudaError_t cudaProfilerStart() {
  return call(__func__, [](Runtime&) {});
}

cudaError_t cudaProfilerStop() {
  return call(__func__, [](Runtime&) {});
}

}  // extern "C"
