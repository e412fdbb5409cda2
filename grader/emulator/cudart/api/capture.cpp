// Stream management: capture into a graph.
#include <set>

#include "cudart/work/graph_handles.hpp"

using namespace warpgrade::cudart;

namespace {

thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

// The legacy stream cannot be captured: everything waits for it.
Stream& capturable(Runtime& r, cudaStream_t handle) {
  Stream& stream = r.handles.stream(handle);
  require(&stream != &r.handles.legacy, cudaErrorStreamCaptureUnsupported);
  return stream;
}

void begin(Runtime& r, cudaStream_t handle, std::shared_ptr<Capture> capture) {
  static std::uint64_t captures = 0;
  Stream& stream = capturable(r, handle);
  require(stream.capture == nullptr, cudaErrorIllegalState);
  capture->id = ++captures;
  capture->origin = &stream;
  stream.capture = std::move(capture);
}

// The nodes and everything that they depend on. Streams that wait for each other alternately make a graph
// with far more paths than nodes, so each node is visited once.
std::set<const Node*> with_all_before(const std::vector<Node*>& nodes) {
  std::set<const Node*> found;
  std::vector<const Node*> left(nodes.begin(), nodes.end());
  while (!left.empty()) {
    const Node* const node = left.back();
    left.pop_back();
    if (found.insert(node).second) left.insert(left.end(), node->before.begin(), node->before.end());
  }
  return found;
}

// Streams that joined the capture must have been waited for by the one that began it.
void require_joined(Runtime& r, const Stream& origin) {
  const std::set<const Node*> joined = with_all_before(origin.last);
  for (auto& [handle, stream] : r.handles.streams) {
    if (stream.get() == &origin || stream->capture != origin.capture) continue;
    for (const Node* end : stream->last)
      if (!joined.contains(end))
        fail(cudaErrorStreamCaptureUnjoined,
             "a stream has joined the capture, and the one that began it does not wait for its last work: "
             "record an event behind that, and let the first stream wait for the event before the capture "
             "ends");
  }
}

void leave(Runtime& r, const std::shared_ptr<Capture>& capture) {
  const auto forget = [&](auto& object) {
    if (object.capture != capture) return;
    object.capture = nullptr;
    object.last.clear();
  };
  for (auto& [thread, stream] : r.handles.per_thread) forget(stream);
  for (auto& [handle, stream] : r.handles.streams) forget(*stream);
  for (auto& [handle, event] : r.handles.events) forget(*event);
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return call(__func__, [&](Runtime& r) {
    auto capture = std::make_shared<Capture>();
    capture->owned = std::make_unique<Graph>();
    capture->graph = capture->owned.get();
    capture->mode = mode;
    begin(r, stream, std::move(capture));
  });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* before, const cudaGraphEdgeData*,
                                          std::size_t count, cudaStreamCaptureMode mode) {
  return call(__func__, [&](Runtime& r) {
    auto capture = std::make_shared<Capture>();
    capture->graph = &graph_of(r, graph);
    capture->mode = mode;
    std::vector<Node*> last = nodes_of(*capture->graph, before, count);
    begin(r, stream, std::move(capture));
    r.handles.stream(stream).last = std::move(last);
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return call(__func__, [&](Runtime& r) {
    require(graph != nullptr, cudaErrorInvalidValue);
    *graph = nullptr;
    Stream& stream = r.handles.stream(handle);
    const std::shared_ptr<Capture> capture = stream.capture;
    if (capture == nullptr)
      fail(cudaErrorIllegalState, "the stream is not being captured; was cudaStreamBeginCapture() called?");
    require(capture->origin == &stream, cudaErrorStreamCaptureUnmatched);
    Failure failure{capture->invalidated ? cudaErrorStreamCaptureInvalidated : cudaSuccess, {}};
    try {
      if (failure.code == cudaSuccess) require_joined(r, stream);
    } catch (const Failure& unjoined) {
      failure = unjoined;
    }
    leave(r, capture);
    if (failure.code != cudaSuccess) throw failure;
    *graph = handle_of(capture->graph);
    if (capture->owned != nullptr) r.handles.graphs.add(std::move(capture->owned));
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return call(__func__, [&](Runtime& r) {
    require(status != nullptr, cudaErrorInvalidValue);
    const Stream& stream = r.handles.stream(handle);
    *status = stream.capture == nullptr     ? cudaStreamCaptureStatusNone
              : stream.capture->invalidated ? cudaStreamCaptureStatusInvalidated
                                            : cudaStreamCaptureStatusActive;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** before, const cudaGraphEdgeData** edges,
                                     std::size_t* count) {
  const cudaError_t code = cudaStreamIsCapturing(handle, status);
  if (code != cudaSuccess || *status != cudaStreamCaptureStatusActive) return code;
  return call(__func__, [&](Runtime& r) {
    // The handles stay valid until the thread asks again.
    thread_local std::vector<cudaGraphNode_t> handles;
    const Stream& stream = r.handles.stream(handle);
    handles.clear();
    for (const Node* each : stream.last) handles.push_back(handle_of(each));
    if (id != nullptr) *id = stream.capture->id;
    if (graph != nullptr) *graph = handle_of(stream.capture->graph);
    if (before != nullptr) *before = handles.data();
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = handles.size();
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* before,
                                                const cudaGraphEdgeData*, std::size_t count, unsigned flags) {
  return call(__func__, [&](Runtime& r) {
    Stream& stream = r.handles.stream(handle);
    require(stream.capture != nullptr, cudaErrorIllegalState);
    std::vector<Node*> nodes = nodes_of(*stream.capture->graph, before, count);
    if (flags == cudaStreamAddCaptureDependencies)
      stream.last.insert(stream.last.end(), nodes.begin(), nodes.end());
    else
      stream.last = std::move(nodes);
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return call(__func__, [&](Runtime&) {
    require(mode != nullptr, cudaErrorInvalidValue);
    std::swap(*mode, thread_mode);
  });
}

}  // extern "C"

PER_THREAD_STREAM(cudaStreamBeginCapture)
PER_THREAD_STREAM(cudaStreamBeginCaptureToGraph)
PER_THREAD_STREAM(cudaStreamEndCapture)
PER_THREAD_STREAM(cudaStreamIsCapturing)
PER_THREAD_STREAM(cudaStreamGetCaptureInfo)
PER_THREAD_STREAM(cudaStreamUpdateCaptureDependencies)
