#include "cudart/work/handles.hpp"

#include <driver_types.h>

#include "cudart/runtime/error.hpp"

namespace warpgrade::cudart {

Stream& Handles::stream(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return legacy;
  if (handle == cudaStreamPerThread) return per_thread;
  if (Stream* found = streams.find(handle)) return *found;
  throw Failure{cudaErrorInvalidResourceHandle, "no such stream; was it destroyed?"};
}

Event& Handles::event(cudaEvent_t handle) const {
  if (Event* found = events.find(handle)) return *found;
  throw Failure{cudaErrorInvalidResourceHandle, "no such event; was it created?"};
}

Pool& Handles::pool(cudaMemPool_t handle) {
  if (static_cast<const void*>(handle) == &default_pool) return default_pool;
  if (Pool* found = pools.find(handle)) return *found;
  throw Failure{cudaErrorInvalidValue, {}};
}

bool Handles::is_stream_ordered(const void* pointer) {
  if (default_pool.taken.contains(pointer)) return true;
  for (auto& [handle, pool] : pools)
    if (pool->taken.contains(pointer)) return true;
  return false;
}

// CUDA Runtime API, cudaThreadExchangeStreamCaptureMode: "potentially unsafe" calls.
void Handles::forbid_in_capture() {
  bool found = false;
  for (auto& [handle, stream] : streams)
    if (stream->capture != nullptr && stream->capture->mode == cudaStreamCaptureModeGlobal)
      found = stream->capture->invalidated = true;
  if (found)
    throw Failure{cudaErrorStreamCaptureUnsupported,
                  "a stream is being captured, which this call would wait for"};
}

void Handles::forbid_legacy_in_capture() {
  bool found = false;
  for (auto& [handle, stream] : streams)
    if (stream->capture != nullptr && stream->flags == cudaStreamDefault)
      found = stream->capture->invalidated = true;
  if (found)
    throw Failure{cudaErrorStreamCaptureImplicit,
                  "a stream is being captured that would wait for the default stream"};
}

void Handles::clear() {
  streams.clear();
  events.clear();
  execs.clear();
  graphs.clear();
  pools.clear();
  user_objects.clear();
  legacy = per_thread = Stream{};
  per_thread.id = kPerThreadId;
  default_pool = Pool{};
  current_pool = &default_pool;
}

}  // namespace warpgrade::cudart
