// Graphs: capture, instantiation and launch.
#include <vector>

#include "remoting/frontend/connection.hpp"
#include "remoting/frontend/program_memory.hpp"

using namespace warpgrade::remoting;

namespace {

// The program's own memory that the graph copies from (or to), in the order of its copies.
struct OwnMemory {
  std::vector<ProgramRows> read, written;
};

cudaError_t own_memory(cudaGraphExec_t executable, const void* caller, OwnMemory& found) {
  std::string out;
  const cudaError_t code = ask(ApiFunction::graph_memory, caller, arguments(executable), out);
  if (code != cudaSuccess) return code;
  MessageReader reader(out);
  while (reader.left() != 0) {
    const auto rows = reader.get<ProgramRows>();
    (reader.get<bool>() ? found.written : found.read).push_back(rows);
  }
  return code;
}

// The graph reads the program's memory as it is at the launch; what the graph writes is there when the launch
// returns.
cudaError_t launch(cudaGraphExec_t executable, cudaStream_t stream, const void* caller) {
  OwnMemory own;
  if (const cudaError_t code = own_memory(executable, caller, own); code != cudaSuccess) return code;
  MessageWriter in = arguments(executable, stream);
  std::string rows, out;
  for (const ProgramRows& each : own.read) {
    if (!each.read(rows)) return failed(cudaErrorInvalidValue);
    in.text(rows);
  }
  const cudaError_t code = ask(ApiFunction::cudaGraphLaunch, caller, in, out);
  if (code != cudaSuccess || out.empty()) return code;  // empty where the launch was captured
  MessageReader reader(out);
  for (const ProgramRows& each : own.written)
    if (!each.write(reader)) return failed(cudaErrorInvalidValue);
  return code;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return remote(ApiFunction::cudaStreamBeginCapture, CALLER, arguments(stream, mode));
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return remote(ApiFunction::cudaStreamEndCapture, CALLER, arguments(stream), graph);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return remote(ApiFunction::cudaGraphInstantiate, CALLER, arguments(graph, flags), executable);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  return remote(ApiFunction::cudaGraphInstantiate, CALLER, arguments(graph, flags), executable);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
  if (parameters == nullptr) return failed(cudaErrorInvalidValue);
  const cudaError_t code =
      remote(ApiFunction::cudaGraphInstantiate, CALLER, arguments(graph, parameters->flags), executable);
  parameters->errNode_out = nullptr;
  parameters->result_out = code == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
  return code;
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
  const cudaError_t code = remote(ApiFunction::cudaGraphExecUpdate, CALLER, arguments(executable, graph));
  if (info != nullptr)
    *info = {code == cudaSuccess ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateError, nullptr, nullptr};
  return code;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
  return remote(ApiFunction::cudaGraphUpload, CALLER, arguments(executable, stream));
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return launch(executable, stream, CALLER);
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return remote(ApiFunction::cudaGraphDestroy, CALLER, arguments(graph));
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return remote(ApiFunction::cudaGraphExecDestroy, CALLER, arguments(executable));
}

}  // extern "C"
#pragma GCC visibility pop
