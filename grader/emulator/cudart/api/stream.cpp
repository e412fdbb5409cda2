// Stream management.
#include <algorithm>
#include <utility>

#include "cudart/api/api.hpp"

using namespace warpgrade::cudart;

namespace {

constexpr int kGreatestPriority = -5;  // the range of an H200: 0 to -5

cudaError_t create(const char* name, cudaStream_t* out, unsigned flags, int priority) {
  return call(name, [&](Runtime& r) {
    require(out != nullptr && (flags == cudaStreamDefault || flags == cudaStreamNonBlocking),
            cudaErrorInvalidValue);
    auto stream = std::make_unique<Stream>();
    stream->id = ++r.handles.streams_made;
    stream->flags = flags;
    stream->priority = std::clamp(priority, kGreatestPriority, 0);
    *out = reinterpret_cast<cudaStream_t>(r.handles.streams.add(std::move(stream)));
  });
}

// Waiting for a stream that is being captured ends the capture.
Stream& not_captured(Runtime& r, cudaStream_t handle) {
  Stream& stream = r.handles.stream(handle);
  if (stream.capture == nullptr) return stream;
  stream.capture->invalidated = true;
  fail(cudaErrorStreamCaptureUnsupported, "the stream is being captured");
}

struct Callback {
  cudaStreamCallback_t function;
  cudaStream_t stream;
  void* data;
};

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return create(__func__, stream, cudaStreamDefault, 0); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create(__func__, stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return create(__func__, stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return call(__func__, [&](Runtime& r) {
    const auto taken = r.handles.streams.take(handle);
    require(taken != nullptr, cudaErrorInvalidResourceHandle);
    r.order.destroyed(r, *taken);
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call(__func__, [&](Runtime& r) { host_waits_for(r, not_captured(r, stream)); });
}

// A stream with work that the host has not waited for is busy once: the next query waits for it, so a program
// that queries in a loop ends, and one that does not look at the answer has not waited.
cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return call(__func__, [&](Runtime& r) {
    Stream& stream = not_captured(r, handle);
    const bool busy = !r.order.host_knows(r.order.completed(r, stream));
    if (busy && !std::exchange(stream.was_busy, true)) fail(cudaErrorNotReady);
    stream.was_busy = false;
    wait_for(r, stream);
    r.order.host_waits(r, stream);
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return call(__func__, [&](Runtime& r) { submit(r, stream, WaitWork{&r.handles.event(event)}); });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data,
                                  unsigned flags) {
  return call(__func__, [&](Runtime& r) {
    require(function != nullptr && flags == 0, cudaErrorInvalidValue);
    require(r.handles.stream(stream).capture == nullptr, cudaErrorStreamCaptureUnsupported);
    auto* later = new Callback{function, stream, data};
    submit(r, stream,
           HostWork{[](void* it) {
                      const std::unique_ptr<Callback> callback(static_cast<Callback*>(it));
                      callback->function(callback->stream, cudaSuccess, callback->data);
                    },
                    later});
    wait_for(r, r.handles.stream(stream));
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, std::size_t, unsigned) {
  return call(__func__, [&](Runtime& r) { r.handles.stream(stream); });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return call(__func__, [&](Runtime& r) { give(priority, r.handles.stream(stream).priority); });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return call(__func__, [&](Runtime& r) { give(flags, r.handles.stream(stream).flags); });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return call(__func__, [&](Runtime& r) { give<unsigned long long>(id, r.handles.stream(stream).id); });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return call(__func__, [&](Runtime& r) {
    r.handles.stream(stream);
    give(device, 0);
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return call(__func__, [&](Runtime& r) {
    const Stream& source = r.handles.stream(from);
    Stream& target = r.handles.stream(to);
    target.priority = source.priority;
    target.attributes = source.attributes;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID which, cudaStreamAttrValue* value) {
  return call(__func__, [&](Runtime& r) {
    const Stream& of = r.handles.stream(stream);
    const auto set = of.attributes.find(which);
    give(value, set == of.attributes.end() ? cudaStreamAttrValue{} : set->second);
    if (which == cudaLaunchAttributePriority) value->priority = of.priority;
  });
}

// Access windows, domains and similar attributes concern caches, which the emulator does not have.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID which,
                                   const cudaStreamAttrValue* value) {
  return call(__func__, [&](Runtime& r) {
    require(value != nullptr, cudaErrorInvalidValue);
    r.handles.stream(stream).attributes[which] = *value;
  });
}

}  // extern "C"

PER_THREAD_STREAM(cudaStreamSynchronize)
PER_THREAD_STREAM(cudaStreamQuery)
PER_THREAD_STREAM(cudaStreamWaitEvent)
PER_THREAD_STREAM(cudaStreamAddCallback)
PER_THREAD_STREAM(cudaStreamAttachMemAsync)
PER_THREAD_STREAM(cudaStreamGetPriority)
PER_THREAD_STREAM(cudaStreamGetFlags)
PER_THREAD_STREAM(cudaStreamGetId)
PER_THREAD_STREAM(cudaStreamGetDevice)
PER_THREAD_STREAM(cudaStreamCopyAttributes)
PER_THREAD_STREAM(cudaStreamGetAttribute)
PER_THREAD_STREAM(cudaStreamSetAttribute)
