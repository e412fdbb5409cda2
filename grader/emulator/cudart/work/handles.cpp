#include "cudart/work/handles.hpp"

#include <driver_types.h>

#include <atomic>
#include <mutex>

#include "cudart/runtime/error.hpp"
#include "cudart/runtime/runtime.hpp"

namespace warpgrade::cudart {
namespace {

thread_local int per_thread_calls = 0;  // PerThreadDefault objects that exist
std::atomic<bool> any_per_thread{false};

// The thread's default stream ends with its thread. A later thread may get the same id from the system, and
// no order with the work of this one.
struct OwnStream {
  static std::uint64_t next() {
    static std::atomic<std::uint64_t> made{0};
    return made++;
  }
  const std::uint64_t number = next();

  OwnStream() = default;
  OwnStream(const OwnStream&) = delete;
  ~OwnStream() {
    Runtime* runtime = Runtime::made();
    if (runtime == nullptr) return;
    const std::unique_lock lock(runtime->mutex, std::try_to_lock);  // a long kernel must not hold up exit()
    const auto own = lock ? runtime->handles.per_thread.find(number) : runtime->handles.per_thread.end();
    if (!lock || own == runtime->handles.per_thread.end()) return;
    runtime->order.destroyed(*runtime, own->second);
    runtime->handles.per_thread.erase(own);
  }
};

}  // namespace

PerThreadDefault::PerThreadDefault() {
  ++per_thread_calls;
  any_per_thread = true;
}
PerThreadDefault::~PerThreadDefault() { --per_thread_calls; }

bool PerThreadDefault::was_used() { return any_per_thread; }

Stream& Handles::own() {
  thread_local const OwnStream own;
  const auto [entry, fresh] = per_thread.try_emplace(own.number);
  if (fresh) entry->second.id = kPerThreadId - own_made++;
  return entry->second;
}

Stream& Handles::stream(cudaStream_t handle) {
  if (handle == cudaStreamLegacy || (handle == nullptr && per_thread_calls == 0)) return legacy;
  if (handle == cudaStreamPerThread || handle == nullptr) return own();
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
  legacy = Stream{};
  per_thread.clear();
  default_pool = Pool{};
  current_pool = &default_pool;
}

}  // namespace warpgrade::cudart
