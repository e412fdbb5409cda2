// Event management.
#include <utility>

#include "cudart/api/api.hpp"
#include "cudart/memory/host_errors.hpp"

using namespace warpgrade::cudart;

namespace {

constexpr unsigned kKnownFlags = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

cudaError_t create(const char* name, cudaEvent_t* out, unsigned flags) {
  return call(name, [&](Runtime& r) {
    require(out != nullptr && (flags & ~kKnownFlags) == 0, cudaErrorInvalidValue);
    auto event = std::make_unique<Event>();
    event->flags = flags;
    *out = reinterpret_cast<cudaEvent_t>(r.handles.events.add(std::move(event)));
  });
}

Event& not_captured(Runtime& r, cudaEvent_t handle) {
  Event& event = r.handles.event(handle);
  if (event.capture != nullptr) {
    event.capture->invalidated = true;
    fail(cudaErrorCapturedEvent);
  }
  return event;
}

// Runs the pending work before the event's last record.
void wait_for_record(Runtime& r, const Event& event) {
  r.pending.finish(r, event.order);
  r.order.host_waits(r, event.order);
}

bool was_recorded(Runtime& r, const Event& event) { return event.recorded || r.pending.has(event.order); }

// The reason why this event will never have a time; empty if it will have one.
std::string why_no_time(Runtime& r, const Event& event, const std::string& which) {
  if (event.capture != nullptr)
    return "the " + which + " event stands in a graph that is being captured: record it outside";
  if (!was_recorded(r, event)) return "the " + which + " event was never recorded";
  if ((event.flags & cudaEventDisableTiming) != 0)
    return "the " + which + " event was created with cudaEventDisableTiming: use cudaEventCreate()";
  return "";
}

}  // namespace

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* event) { return create(__func__, event, cudaEventDefault); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return create(__func__, event, flags);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call(__func__, [&](Runtime& r) {
    const auto taken = r.handles.events.take(event);
    require(taken != nullptr, cudaErrorInvalidResourceHandle);
    r.pending.forget(*taken);
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call(__func__, [&](Runtime& r) { submit(r, stream, RecordWork{&r.handles.event(event)}); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return call(__func__, [&](Runtime& r) { submit(r, stream, RecordWork{&r.handles.event(event)}); });
}

// As cudaStreamQuery: busy once.
cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return call(__func__, [&](Runtime& r) {
    Event& event = not_captured(r, handle);
    if (!r.order.host_knows(event.order) && !std::exchange(event.was_busy, true)) fail(cudaErrorNotReady);
    event.was_busy = false;
    wait_for_record(r, event);
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call(__func__, [&](Runtime& r) { wait_for_record(r, not_captured(r, event)); });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call(__func__, [&](Runtime& r) {
    require(milliseconds != nullptr, cudaErrorInvalidValue);
    const Event &from = r.handles.event(start), &to = r.handles.event(end);
    std::string never = why_no_time(r, from, "first");
    if (never.empty()) never = why_no_time(r, to, "second");
    if (!never.empty()) {
      report_event_not_ready(r, never);
      throw Failure{cudaErrorInvalidResourceHandle, {}, true};
    }
    // The work is already done here, but on a GPU it may still be running.
    if (!(r.order.host_knows(from.order) && r.order.host_knows(to.order)))
      report_event_not_ready(r, "the program has not waited for the event");
    else if (from.order.knows(to.order) && !to.order.knows(from.order))
      report_events_exchanged(r);
    if (r.pending.has(from.order) || r.pending.has(to.order)) fail(cudaErrorNotReady);
    *milliseconds = static_cast<float>((to.seconds - from.seconds) * 1e3);
  });
}

}  // extern "C"

PER_THREAD_STREAM(cudaEventRecord)
PER_THREAD_STREAM(cudaEventRecordWithFlags)
