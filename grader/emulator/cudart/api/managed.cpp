// Unified memory: advice and prefetches. Host and device share their memory here, so that all of it is
// checked and nothing needs to be done.
#include <algorithm>

#include "cudart/api/api.hpp"

using namespace warpgrade;
using namespace warpgrade::cudart;

namespace {

void require_managed(Runtime& r, const void* pointer, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uint64_t>(pointer);
  const emulator::Allocation* found = r.memory.find(at);
  require(found != nullptr && !found->freed && found->kind == emulator::Allocation::Kind::managed &&
              bytes != 0 && bytes <= found->base + found->bytes - at,
          cudaErrorInvalidValue);
}

void require_place(const cudaMemLocation& place) {
  require(place.type != cudaMemLocationTypeDevice || place.id == 0, cudaErrorInvalidDevice);
}

// Advice and prefetches have no effect: queries answer as for fresh memory.
void give_range_attribute(void* data, std::size_t bytes, cudaMemRangeAttribute which) {
  require(data != nullptr && bytes != 0 && bytes % sizeof(int) == 0, cudaErrorInvalidValue);
  const bool flag = which == cudaMemRangeAttributeReadMostly;
  std::fill_n(static_cast<int*>(data), bytes / sizeof(int), flag ? 0 : cudaInvalidDeviceId);
}

}  // namespace

extern "C" {

cudaError_t cudaMemRangeGetAttribute(void* data, std::size_t data_bytes, cudaMemRangeAttribute which,
                                     const void* pointer, std::size_t bytes) {
  return call(__func__, [&](Runtime& r) {
    require_managed(r, pointer, bytes);
    give_range_attribute(data, data_bytes, which);
  });
}

cudaError_t cudaMemRangeGetAttributes(void** data, std::size_t* data_bytes, cudaMemRangeAttribute* which,
                                      std::size_t count, const void* pointer, std::size_t bytes) {
  return call(__func__, [&](Runtime& r) {
    require_managed(r, pointer, bytes);
    require(count != 0 && data != nullptr && data_bytes != nullptr && which != nullptr,
            cudaErrorInvalidValue);
    for (std::size_t i = 0; i < count; ++i) give_range_attribute(data[i], data_bytes[i], which[i]);
  });
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise, cudaMemLocation place) {
  return call(__func__, [&](Runtime& r) {
    require_managed(r, pointer, bytes);
    require_place(place);
  });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation place, unsigned,
                                 cudaStream_t stream) {
  return call(__func__, [&](Runtime& r) {
    require_managed(r, pointer, bytes);
    require_place(place);
    submit(r, stream, EmptyWork{});
  });
}

cudaError_t cudaMemPrefetchBatchAsync(void** pointers, std::size_t* bytes, std::size_t count,
                                      cudaMemLocation*, std::size_t*, std::size_t, unsigned long long,
                                      cudaStream_t stream) {
  return call(__func__, [&](Runtime& r) {
    for (std::size_t i = 0; i < count; ++i) require_managed(r, pointers[i], bytes[i]);
    submit(r, stream, EmptyWork{});
  });
}

}  // extern "C"

PER_THREAD_STREAM(cudaMemPrefetchAsync)
PER_THREAD_STREAM(cudaMemPrefetchBatchAsync)
