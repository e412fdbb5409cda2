// Stream-ordered allocation. Work runs in the order of the calls, so memory is allocated and freed at once;
// pools only count bytes.
#include <algorithm>

#include "cudart/api/api.hpp"
#include "cudart/memory/allocate.hpp"

using namespace warpgrade;
using namespace warpgrade::cudart;

namespace {

// Switches of cudaMemPoolAttr are ints, amounts are 64-bit.
bool is_switch(cudaMemPoolAttr which) { return which <= cudaMemPoolReuseAllowInternalDependencies; }

void take(Pool& pool, const void* pointer, std::size_t bytes) {
  pool.used += bytes;
  pool.used_high = std::max(pool.used_high, pool.used);
  pool.taken[pointer] = bytes;
}

// Returns the memory to the pool that it came from.
void give_back(Runtime& r, const void* pointer) {
  const auto look_in = [&](Pool& pool) {
    const auto found = pool.taken.extract(pointer);
    if (!found.empty()) pool.used -= found.mapped();
  };
  look_in(r.handles.default_pool);
  for (auto& [handle, pool] : r.handles.pools) look_in(*pool);
}

std::uint64_t read(const Pool& pool, cudaMemPoolAttr which) {
  switch (which) {
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
      return pool.used;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
      return pool.used_high;
    default: {
      const auto found = pool.attributes.find(which);
      return found != pool.attributes.end() ? found->second : is_switch(which) ? 1 : 0;
    }
  }
}

cudaError_t allocate_from(const char* name, void** pointer, std::size_t bytes, cudaStream_t handle,
                          Pool* (*which)(Runtime&, cudaMemPool_t), cudaMemPool_t pool_handle,
                          const void* caller) {
  return call(name, [&](Runtime& r) {
    require(pointer != nullptr, cudaErrorInvalidValue);
    Stream& stream = r.handles.stream(handle);
    Pool& pool = *which(r, pool_handle);
    *pointer =
        allocate(r, bytes, emulator::Allocation::Kind::device, stream.capture == nullptr ? caller : nullptr);
    take(pool, *pointer, bytes);
    if (stream.capture == nullptr) return r.order.allocated(r, stream, *pointer, bytes);
    AllocateWork work;
    work.parameters.bytesize = bytes;
    work.parameters.dptr = *pointer;
    r.graph_memory.insert(*pointer);
    submit(r, handle, work);
  });
}

void require_device_pool(const cudaMemLocation* location) {
  require(location != nullptr, cudaErrorInvalidValue);
  require(location->type != cudaMemLocationTypeDevice || location->id == 0, cudaErrorInvalidDevice);
}

}  // namespace

extern "C" {

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return allocate_from(
      __func__, pointer, bytes, stream, [](Runtime& r, cudaMemPool_t) { return r.handles.current_pool; },
      nullptr, __builtin_return_address(0));
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return allocate_from(
      __func__, pointer, bytes, stream, [](Runtime& r, cudaMemPool_t p) { return &r.handles.pool(p); }, pool,
      __builtin_return_address(0));
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
  const void* const caller = __builtin_return_address(0);
  return call(__func__, [&](Runtime& r) {
    const Stream& stream = r.handles.stream(handle);
    if (stream.capture != nullptr) {
      submit(r, handle, FreeWork{pointer});
      return;
    }
    // The memory goes at once, so work of other streams that is still to run must come before.
    wait_for_all(r);
    if (pointer != nullptr) r.order.released(r, stream, pointer);
    release(r, pointer, false, caller);
    give_back(r, pointer);
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return call(__func__, [&](Runtime& r) {
    require(device == 0, cudaErrorInvalidDevice);
    require(pool != nullptr, cudaErrorInvalidValue);
    *pool = reinterpret_cast<cudaMemPool_t>(&r.handles.default_pool);
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return call(__func__, [&](Runtime& r) {
    require(device == 0, cudaErrorInvalidDevice);
    require(pool != nullptr, cudaErrorInvalidValue);
    *pool = reinterpret_cast<cudaMemPool_t>(r.handles.current_pool);
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return call(__func__, [&](Runtime& r) {
    require(device == 0, cudaErrorInvalidDevice);
    r.handles.current_pool = &r.handles.pool(pool);
  });
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType) {
  return call(__func__, [&](Runtime& r) {
    require_device_pool(location);
    require(pool != nullptr, cudaErrorInvalidValue);
    *pool = reinterpret_cast<cudaMemPool_t>(&r.handles.default_pool);
  });
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType) {
  return call(__func__, [&](Runtime& r) {
    require_device_pool(location);
    require(pool != nullptr, cudaErrorInvalidValue);
    *pool = reinterpret_cast<cudaMemPool_t>(r.handles.current_pool);
  });
}

cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType, cudaMemPool_t pool) {
  return call(__func__, [&](Runtime& r) {
    require_device_pool(location);
    r.handles.current_pool = &r.handles.pool(pool);
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return call(__func__, [&](Runtime& r) {
    require(pool != nullptr && properties != nullptr, cudaErrorInvalidValue);
    *pool = reinterpret_cast<cudaMemPool_t>(r.handles.pools.add(std::make_unique<Pool>()));
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  return call(__func__, [&](Runtime& r) {
    const auto pool = r.handles.pools.take(handle);
    require(pool != nullptr, cudaErrorInvalidValue);
    if (r.handles.current_pool == pool.get()) r.handles.current_pool = &r.handles.default_pool;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return call(__func__, [&](Runtime& r) { r.handles.pool(pool); });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr which, void* value) {
  return call(__func__, [&](Runtime& r) {
    Pool& pool = r.handles.pool(handle);
    require(value != nullptr, cudaErrorInvalidValue);
    if (which == cudaMemPoolAttrUsedMemHigh || which == cudaMemPoolAttrReservedMemHigh)
      pool.used_high = pool.used;
    else
      pool.attributes[which] = is_switch(which) ? static_cast<std::uint64_t>(*static_cast<int*>(value))
                                                : *static_cast<std::uint64_t*>(value);
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr which, void* value) {
  return call(__func__, [&](Runtime& r) {
    const std::uint64_t found = read(r.handles.pool(handle), which);
    require(value != nullptr, cudaErrorInvalidValue);
    if (is_switch(which))
      *static_cast<int*>(value) = static_cast<int>(found);
    else
      *static_cast<std::uint64_t*>(value) = found;
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc*, std::size_t) {
  return call(__func__, [&](Runtime& r) { r.handles.pool(pool); });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation*) {
  return call(__func__, [&](Runtime& r) {
    r.handles.pool(pool);
    require(flags != nullptr, cudaErrorInvalidValue);
    *flags = cudaMemAccessFlagsProtReadWrite;
  });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  return call(__func__, [&](Runtime&) { require(device == 0, cudaErrorInvalidDevice); });
}

// Graphs have no separate memory here: they use the device's.
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType which, void* value) {
  return call(__func__, [&](Runtime&) {
    require(device == 0, cudaErrorInvalidDevice);
    require(value != nullptr && which <= cudaGraphMemAttrReservedMemHigh, cudaErrorInvalidValue);
    *static_cast<std::uint64_t*>(value) = 0;
  });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType which, void* value) {
  return call(__func__, [&](Runtime&) {
    require(device == 0, cudaErrorInvalidDevice);
    require(value != nullptr &&
                (which == cudaGraphMemAttrUsedMemHigh || which == cudaGraphMemAttrReservedMemHigh),
            cudaErrorInvalidValue);
  });
}

}  // extern "C"

PER_THREAD_STREAM(cudaMallocAsync)
PER_THREAD_STREAM(cudaMallocFromPoolAsync)
PER_THREAD_STREAM(cudaFreeAsync)
