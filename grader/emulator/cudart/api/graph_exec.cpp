// Graph management: instantiated graphs. Each is a clone of its graph, run node by node.
#include <algorithm>

#include "cudart/work/graph_handles.hpp"

using namespace warpgrade;
using namespace warpgrade::cudart;

namespace {

std::unique_ptr<GraphExec> instantiate(const Graph& graph, unsigned long long flags) {
  if (graph.in_order().size() != graph.nodes.size()) fail(cudaErrorInvalidValue, "the graph has a cycle");
  auto exec = std::make_unique<GraphExec>();
  exec->graph = graph.clone();
  exec->flags = flags;
  for (const auto& each : exec->graph->nodes) exec->of[each->cloned_from] = each.get();
  return exec;
}

// The clone of a node of the graph that was instantiated.
Node& twin(GraphExec& exec, cudaGraphNode_t original) {
  const auto found = exec.of.find(reinterpret_cast<const Node*>(original));
  require(found != exec.of.end(), cudaErrorInvalidValue);
  return *found->second;
}

template <class Kind, class Make>
cudaError_t replace(const char* name, cudaGraphExec_t handle, cudaGraphNode_t original, Make&& make) {
  return call(name, [&](Runtime& r) {
    Kind* work = std::get_if<Kind>(&twin(exec_of(r, handle), original).work);
    require(work != nullptr, cudaErrorInvalidValue);
    *work = make(r);
  });
}

// Nodes correspond by their order of creation. Null if the graphs have the same shape, else a node of
// `from` that differs.
const Node* difference(const Graph& from, const Graph& to, cudaGraphExecUpdateResult& why) {
  why = cudaGraphExecUpdateErrorTopologyChanged;
  const std::size_t common = std::min(from.nodes.size(), to.nodes.size());
  const auto position = [](const Graph& graph, const Node* node) {
    const auto is = [&](const auto& each) { return each.get() == node; };
    return std::find_if(graph.nodes.begin(), graph.nodes.end(), is) - graph.nodes.begin();
  };
  for (std::size_t i = 0; i < common; ++i) {
    const Node &old_node = *to.nodes[i], &new_node = *from.nodes[i];
    if (old_node.work.index() != new_node.work.index()) {
      why = cudaGraphExecUpdateErrorNodeTypeChanged;
      return &new_node;
    }
    if (old_node.before.size() != new_node.before.size()) return &new_node;
    for (std::size_t d = 0; d < old_node.before.size(); ++d)
      if (position(to, old_node.before[d]) != position(from, new_node.before[d])) return &new_node;
  }
  if (from.nodes.size() > common) return from.nodes[common].get();
  if (to.nodes.size() > common) return from.nodes.empty() ? nullptr : from.nodes.back().get();
  why = cudaGraphExecUpdateSuccess;
  return nullptr;
}

}  // namespace

extern "C" {

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long flags) {
  return call(__func__, [&](Runtime& r) {
    require(out != nullptr, cudaErrorInvalidValue);
    *out = reinterpret_cast<cudaGraphExec_t>(r.handles.execs.add(instantiate(graph_of(r, graph), flags)));
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiate(out, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* out, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* p) {
  if (p == nullptr) return call(__func__, [](Runtime&) { fail(cudaErrorInvalidValue); });
  const cudaError_t code = cudaGraphInstantiate(out, graph, p->flags);
  p->errNode_out = nullptr;
  p->result_out = code == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateInvalidStructure;
  return code;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return call(__func__, [&](Runtime& r) {
    const auto taken = r.handles.execs.take(exec);
    require(taken != nullptr, cudaErrorInvalidValue);
    r.order.destroyed(*taken);
  });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  return call(__func__, [&](Runtime& r) {
    require(flags != nullptr, cudaErrorInvalidValue);
    *flags = exec_of(r, exec).flags;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return call(__func__, [&](Runtime& r) {
    exec_of(r, exec);
    r.handles.stream(stream);
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream) {
  return call(__func__, [&](Runtime& r) {
    GraphExec& exec = exec_of(r, handle);
    if (r.handles.stream(stream).capture != nullptr) {
      submit(r, stream, ChildWork{exec.graph->clone()});
      return;
    }
    for (const OrderCheck::LaunchedNode& each : r.order.launched(r, r.handles.stream(stream), exec))
      if (r.config.work_order == WorkOrder::prompt)
        run(r, *each.work, each.operation);
      else
        r.pending.add_node(r, *each.work, each.operation);
  });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* p) {
  return replace<KernelWork>(__func__, exec, node, [&](Runtime& r) { return work_of(r, p); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* p) {
  return replace<CopyWork>(__func__, exec, node, [&](Runtime&) { return box_copy(p); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return replace<CopyWork>(__func__, exec, node, [&](Runtime&) { return line_copy(to, from, bytes, kind); });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* p) {
  return replace<FillWork>(__func__, exec, node, [&](Runtime&) { return work_of(p); });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* p) {
  return replace<HostWork>(__func__, exec, node, [&](Runtime&) { return work_of(p); });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return replace<ChildWork>(__func__, exec, node,
                            [&](Runtime& r) { return ChildWork{graph_of(r, child).clone()}; });
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return replace<RecordWork>(__func__, exec, node,
                             [&](Runtime& r) { return RecordWork{&r.handles.event(event)}; });
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event) {
  return replace<WaitWork>(__func__, exec, node,
                           [&](Runtime& r) { return WaitWork{&r.handles.event(event)}; });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t original,
                                       cudaGraphNodeParams* p) {
  return call(__func__, [&](Runtime& r) {
    Node& node = twin(exec_of(r, exec), original);
    require(p != nullptr && p->type == type_of(node.work), cudaErrorInvalidValue);
    node.work = work_of(r, p);
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t handle, cudaGraphNode_t original, unsigned enabled) {
  return call(__func__, [&](Runtime& r) {
    GraphExec& exec = exec_of(r, handle);
    exec.disabled[&twin(exec, original)] = enabled == 0;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t handle, cudaGraphNode_t original, unsigned* enabled) {
  return call(__func__, [&](Runtime& r) {
    require(enabled != nullptr, cudaErrorInvalidValue);
    GraphExec& exec = exec_of(r, handle);
    *enabled = exec.disabled[&twin(exec, original)] ? 0 : 1;
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t source,
                                cudaGraphExecUpdateResultInfo* info) {
  return call(__func__, [&](Runtime& r) {
    GraphExec& exec = exec_of(r, handle);
    const Graph& graph = graph_of(r, source);
    cudaGraphExecUpdateResult why{};
    const Node* differs = difference(graph, *exec.graph, why);
    if (info != nullptr) *info = {why, differs == nullptr ? nullptr : handle_of(differs), nullptr};
    require(why == cudaGraphExecUpdateSuccess, cudaErrorGraphExecUpdateFailure);
    auto next = instantiate(graph, exec.flags);
    // Handles of the original's nodes also name the corresponding nodes of the clone.
    for (auto& [original, node] : exec.of) {
      const auto is = [&](const auto& each) { return each.get() == node; };
      const auto at = std::find_if(exec.graph->nodes.begin(), exec.graph->nodes.end(), is);
      next->of[original] = next->graph->nodes[static_cast<std::size_t>(at - exec.graph->nodes.begin())].get();
    }
    next->timelines = std::move(exec.timelines);
    next->last_launch = std::move(exec.last_launch);
    next->made_at = exec.made_at;
    exec = std::move(*next);
  });
}

}  // extern "C"

PER_THREAD_STREAM(cudaGraphLaunch)
PER_THREAD_STREAM(cudaGraphUpload)
PER_THREAD_STREAM(cudaGraphInstantiateWithParams)
