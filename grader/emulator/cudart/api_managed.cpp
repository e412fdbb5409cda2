// Unified memory: advice and prefetches. Host and device share their memory here, so that all of it is
// checked and nothing needs to be done.
#include "cudart/api.hpp"

using namespace warpgrade;
using namespace warpgrade::cudart;

namespace {

void require_managed(Runtime& r, const void* pointer, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uint64_t>(pointer);
  const exec::Allocation* found = r.memory.find(at);
  require(found != nullptr && !found->freed && found->kind == exec::Allocation::Kind::managed && bytes != 0 &&
              bytes <= found->base + found->bytes - at,
          cudaErrorInvalidValue);
}

void require_place(const cudaMemLocation& place) {
  require(place.type != cudaMemLocationTypeDevice || place.id == 0, cudaErrorInvalidDevice);
}

}  // namespace

extern "C" {

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
