#include "cudart/work/graph_handles.hpp"

#include <algorithm>

#include "cudart/memory/allocate.hpp"

namespace warpgrade::cudart {
namespace {

// A graph is in the program's set, in an active capture, or in a child node of another graph.
template <class Visit>
bool visit_inside(Graph& graph, Visit&& visit) {
  if (visit(graph)) return true;
  for (const auto& node : graph.nodes)
    if (const auto* child = std::get_if<ChildWork>(&node->work))
      if (visit_inside(*child->graph, visit)) return true;
  return false;
}

template <class Visit>
bool visit_graphs(Runtime& r, Visit&& visit) {
  for (auto& [handle, graph] : r.handles.graphs)
    if (visit_inside(*graph, visit)) return true;
  for (auto& [handle, stream] : r.handles.streams)
    if (stream->capture != nullptr && visit_inside(*stream->capture->graph, visit)) return true;
  return false;
}

}  // namespace

Graph& graph_of(Runtime& r, cudaGraph_t handle) {
  Graph* found = nullptr;
  visit_graphs(r, [&](Graph& each) { return handle_of(&each) == handle && (found = &each) != nullptr; });
  require(found != nullptr, cudaErrorInvalidValue);
  return *found;
}

Node& node_of(Runtime& r, cudaGraphNode_t handle) {
  Node* found = nullptr;
  visit_graphs(r, [&](Graph& each) { return (found = each.find(handle)) != nullptr; });
  require(found != nullptr, cudaErrorInvalidValue);
  return *found;
}

GraphExec& exec_of(Runtime& r, cudaGraphExec_t handle) {
  GraphExec* found = r.handles.execs.find(handle);
  require(found != nullptr, cudaErrorInvalidValue);
  return *found;
}

std::vector<Node*> nodes_of(const Graph& graph, const cudaGraphNode_t* handles, std::size_t count) {
  require(handles != nullptr || count == 0, cudaErrorInvalidValue);
  std::vector<Node*> nodes;
  for (std::size_t i = 0; i < count; ++i) {
    Node* found = graph.find(handles[i]);
    require(found != nullptr && std::find(nodes.begin(), nodes.end(), found) == nodes.end(),
            cudaErrorInvalidValue);
    nodes.push_back(found);
  }
  return nodes;
}

void give_nodes(const std::vector<Node*>& nodes, cudaGraphNode_t* out, std::size_t* count) {
  require(count != nullptr, cudaErrorInvalidValue);
  if (out != nullptr) {
    for (std::size_t i = 0; i < *count; ++i) out[i] = i < nodes.size() ? handle_of(nodes[i]) : nullptr;
    *count = std::min(*count, nodes.size());
  } else {
    *count = nodes.size();
  }
}

KernelWork work_of(Runtime& r, const cudaKernelNodeParams* p) {
  require(p != nullptr, cudaErrorInvalidValue);
  if (p->extra != nullptr) fail(cudaErrorNotSupported, "kernel arguments in the extra format");
  return kernel_work(r, p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes, false);
}

FillWork work_of(const cudaMemsetParams* p) {
  require(p != nullptr && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4),
          cudaErrorInvalidValue);
  return {p->dst, p->pitch, 0, p->width * p->elementSize, p->height, 1, p->value, p->elementSize};
}

HostWork work_of(const cudaHostNodeParams* p) {
  require(p != nullptr && p->fn != nullptr, cudaErrorInvalidValue);
  return {p->fn, p->userData};
}

AllocateWork allocated(Runtime& r, cudaMemAllocNodeParams& p) {
  p.dptr = allocate(r, p.bytesize, emulator::Allocation::Kind::device);
  r.graph_memory.insert(p.dptr);
  return {p};
}

Work work_of(Runtime& r, cudaGraphNodeParams* p) {
  require(p != nullptr, cudaErrorInvalidValue);
  switch (p->type) {
    case cudaGraphNodeTypeEmpty:
      return EmptyWork{};
    case cudaGraphNodeTypeKernel: {
      const auto& k = p->kernel;
      const cudaKernelNodeParams same{k.func,           k.gridDim,      k.blockDim,
                                      k.sharedMemBytes, k.kernelParams, k.extra};
      return work_of(r, &same);
    }
    case cudaGraphNodeTypeMemcpy:
      return box_copy(&p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const auto& m = p->memset;
      const cudaMemsetParams same{m.dst, m.pitch, m.value, m.elementSize, m.width, m.height};
      return work_of(&same);
    }
    case cudaGraphNodeTypeHost:
      require(p->host.fn != nullptr, cudaErrorInvalidValue);
      return HostWork{p->host.fn, p->host.userData};
    case cudaGraphNodeTypeGraph:
      return ChildWork{graph_of(r, p->graph.graph).clone()};
    case cudaGraphNodeTypeWaitEvent:
      return WaitWork{&r.handles.event(p->eventWait.event)};
    case cudaGraphNodeTypeEventRecord:
      return RecordWork{&r.handles.event(p->eventRecord.event)};
    case cudaGraphNodeTypeMemAlloc: {
      cudaMemAllocNodeParams same{};
      same.bytesize = p->alloc.bytesize;
      const AllocateWork work = allocated(r, same);
      p->alloc.dptr = same.dptr;
      return work;
    }
    case cudaGraphNodeTypeMemFree:
      return FreeWork{p->free.dptr};
    default:
      fail(cudaErrorNotSupported, "graph nodes of type %d are not supported", static_cast<int>(p->type));
  }
}

}  // namespace warpgrade::cudart
