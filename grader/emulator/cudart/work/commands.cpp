#include "cudart/work/commands.hpp"

#include <algorithm>
#include <chrono>

#include "cudart/runtime/runtime.hpp"

namespace warpgrade::cudart {

// Defined in copies.cpp and kernel_launch.cpp.
void copy_now(Runtime& runtime, const CopyWork& copy, const void* call);
void fill_now(Runtime& runtime, const FillWork& fill);
void launch_now(Runtime& runtime, const KernelWork& work, emulator::StreamOperation* operation);

namespace {

double now_in_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Runner {
  Runtime& runtime;
  const Operation& operation;
  void operator()(const EmptyWork&) const {}
  void operator()(const KernelWork& work) const { launch_now(runtime, work, operation.get()); }
  void operator()(const CopyWork& work) const {
    copy_now(runtime, work, operation != nullptr ? operation->call : nullptr);
  }
  void operator()(const FillWork& work) const { fill_now(runtime, work); }
  void operator()(const HostWork& work) const {
    if (operation != nullptr) runtime.order.begin_function(operation);
    runtime.mutex.unlock();  // it may wait for another thread, which calls the runtime
    work.function(work.data);
    runtime.mutex.lock();
    if (operation != nullptr) runtime.order.end_function();
  }
  void operator()(const RecordWork& work) const {
    // A graph may outlive the event.
    require(runtime.handles.events.find(work.event) != nullptr, cudaErrorInvalidResourceHandle);
    work.event->recorded = true;
    work.event->seconds = now_in_seconds();
    work.event->capture.reset();
  }
  void operator()(const WaitWork&) const {}  // the recorded work has already run
  void operator()(const ChildWork& work) const {
    for (const Node* node : work.graph->in_order()) run(runtime, node->work);
  }
  // The memory was allocated when the node was created; the program may have freed it since the last launch.
  void operator()(const AllocateWork& work) const {
    const auto base = reinterpret_cast<std::uint64_t>(work.parameters.dptr);
    if (emulator::Allocation* found = runtime.memory.find(base)) found->freed = false;
  }
  void operator()(const FreeWork&) const {}  // the memory is kept: the graph may be launched again
};

struct Running {
  explicit Running(OrderCheck& of) : order(of) { order.begin_run(); }
  ~Running() { order.end_run(); }
  Running(const Running&) = delete;
  OrderCheck& order;
};

// The capture that the stream is in, after joining the capture of the event that the work waits for.
bool joins_capture(Stream& stream, const Work& work) {
  const auto* wait = std::get_if<WaitWork>(&work);
  if (wait == nullptr || wait->event->capture == nullptr) return false;
  if (stream.capture == nullptr) stream.capture = wait->event->capture;
  require(stream.capture == wait->event->capture, cudaErrorStreamCaptureMerge);
  for (Node* each : wait->event->last)
    if (std::find(stream.last.begin(), stream.last.end(), each) == stream.last.end())
      stream.last.push_back(each);
  return true;
}

void capture(Stream& stream, Work work) {
  require(!stream.capture->invalidated, cudaErrorStreamCaptureInvalidated);
  if (const auto* record = std::get_if<RecordWork>(&work)) {
    record->event->capture = stream.capture;
    record->event->last = stream.last;
    return;
  }
  if (std::holds_alternative<WaitWork>(work))
    return;  // waits for an event outside the capture: already complete
  Node& node = stream.capture->graph->add(std::move(work), std::move(stream.last));
  stream.last = {&node};
}

// Updates the record of uploaded bytes after the work has run.
void note_uploads(Runtime& runtime, const Work& work, const emulator::TouchedMemory& touched) {
  emulator::UsedBytes& uploads = runtime.uploads;
  if (std::holds_alternative<KernelWork>(work)) {
    if (runtime.order.recording() != emulator::Recording::all) return uploads.used_all();
    uploads.used(touched.read);
    uploads.used(touched.read_strongly);
    uploads.overwritten(touched.written_strongly);
  }
  const auto* copy = std::get_if<CopyWork>(&work);
  if (copy != nullptr && !is_host_memory(runtime, copy->to)) {
    if (is_host_memory(runtime, copy->from)) return uploads.written(copy->number, touched.written);
    uploads.used(touched.read);
  }
  uploads.overwritten(touched.written);
}

// Updates the record of kernels' results: a copy fetches them, and what a kernel writes to memory shared with
// the host is there at once.
void note_results(Runtime& runtime, const Work& work, const emulator::TouchedMemory& touched) {
  emulator::UsedBytes& results = runtime.results;
  if (std::holds_alternative<CopyWork>(work)) results.used(touched.read);
  const auto* kernel = std::get_if<KernelWork>(&work);
  for (const emulator::AddressRanges* written : {&touched.written, &touched.written_strongly}) {
    if (kernel == nullptr) {
      results.overwritten(*written);
      continue;
    }
    results.written(kernel->number, *written);
    for (const emulator::AddressRange& each : written->items())
      if (is_host_memory(runtime, reinterpret_cast<const void*>(each.begin)))
        results.used({each.begin, each.end - each.begin});
  }
}

void note_computed(Runtime& runtime, const Work& work, const Operation& operation) {
  emulator::ComputedBytes& computed = runtime.computed;
  const bool is_kernel = std::holds_alternative<KernelWork>(work);
  if (is_kernel && (operation == nullptr || runtime.order.recording() != emulator::Recording::all))
    computed.written_anywhere();
  if (operation == nullptr) return;
  const emulator::TouchedMemory& touched = operation->touched;
  if (is_kernel) {
    for (emulator::ComputedBytes* each : {&computed, &runtime.stored}) {
      each->written(touched.written);
      each->written(touched.written_strongly);
    }
    return;
  }
  runtime.stored.overwritten(touched.written);
  if (std::holds_alternative<CopyWork>(work)) {
    computed.copied(touched.read, touched.written);
  } else {
    computed.overwritten(touched.written);
  }
}

}  // namespace

void run(Runtime& runtime, const Work& work, const Operation& operation) {
  require(runtime.sticky == cudaSuccess, runtime.sticky);
  {
    const Running running(runtime.order);
    std::visit(Runner{runtime, operation}, work);
    if (operation != nullptr) note_uploads(runtime, work, operation->touched);
    if (operation != nullptr) note_results(runtime, work, operation->touched);
    note_computed(runtime, work, operation);
    if (operation != nullptr) runtime.order.ran(runtime, operation);
  }
  if (operation == nullptr) return;
  // The host may wait for a signal of its own function, by means that the runtime does not see.
  if (std::holds_alternative<HostWork>(work)) runtime.order.host_waits(runtime, *operation);
}

Operation submit(Runtime& runtime, cudaStream_t handle, Work work) {
  Stream& stream = runtime.handles.stream(handle);
  if (joins_capture(stream, work)) return nullptr;
  if (stream.capture != nullptr) {
    capture(stream, std::move(work));
    return nullptr;
  }
  if (&stream == &runtime.handles.legacy) runtime.handles.forbid_legacy_in_capture();
  Operation operation = runtime.order.submitted(runtime, stream, work);
  if (runtime.config.work_order == WorkOrder::prompt)
    run(runtime, work, operation);
  else
    runtime.pending.add(runtime, std::move(work), operation);
  return operation;
}

void wait_for(Runtime& runtime, const Stream& stream) {
  if (!runtime.pending.empty()) runtime.pending.finish(runtime, runtime.order.completed(runtime, stream));
}

void wait_for_all(Runtime& runtime) {
  if (!runtime.pending.empty()) runtime.pending.finish_all(runtime);
}

void host_waits_for(Runtime& runtime, const Stream& stream) {
  wait_for(runtime, stream);
  runtime.order.host_waits(runtime, stream);
}

void host_waits_for_all(Runtime& runtime) {
  wait_for_all(runtime);
  runtime.order.host_waits_for_all(runtime);
}

}  // namespace warpgrade::cudart
