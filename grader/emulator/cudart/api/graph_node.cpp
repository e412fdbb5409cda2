// Graph management: nodes and what they do.
#include <algorithm>

#include "cudart/work/graph_handles.hpp"

using namespace warpgrade;
using namespace warpgrade::cudart;

namespace {

// `make` returns the work of the new node.
template <class Make>
cudaError_t add(const char* name, cudaGraphNode_t* out, cudaGraph_t handle, const cudaGraphNode_t* before,
                std::size_t count, Make&& make) {
  return call(name, [&](Runtime& r) {
    require(out != nullptr, cudaErrorInvalidValue);
    Graph& graph = graph_of(r, handle);
    std::vector<Node*> dependencies = nodes_of(graph, before, count);
    *out = handle_of(&graph.add(make(r), std::move(dependencies)));
  });
}

template <class Kind>
Kind& work_in(Runtime& r, cudaGraphNode_t handle) {
  Kind* work = std::get_if<Kind>(&node_of(r, handle).work);
  require(work != nullptr, cudaErrorInvalidValue);
  return *work;
}

// The pointers already include the offsets into the boxes.
cudaMemcpy3DParms parameters_of(const CopyWork& work) {
  const auto rows = [](std::size_t pitch, std::size_t slice) { return pitch == 0 ? 0 : slice / pitch; };
  cudaMemcpy3DParms p{};
  p.dstPtr = {work.to, work.to_pitch, work.width, rows(work.to_pitch, work.to_slice)};
  p.srcPtr = {const_cast<void*>(work.from), work.from_pitch, work.width,
              rows(work.from_pitch, work.from_slice)};
  p.extent = {work.width, work.height, work.depth};
  p.kind = work.kind;
  return p;
}

}  // namespace

extern "C" {

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   std::size_t count, const cudaKernelNodeParams* p) {
  return add(__func__, node, graph, before, count, [&](Runtime& r) { return work_of(r, p); });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   std::size_t count, const cudaMemcpy3DParms* p) {
  return add(__func__, node, graph, before, count, [&](Runtime&) { return box_copy(p); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                     std::size_t count, void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  return add(__func__, node, graph, before, count,
             [&](Runtime&) { return line_copy(to, from, bytes, kind); });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* before, std::size_t count,
                                           const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind) {
  return add(__func__, node, graph, before, count,
             [&](Runtime& r) { return line_copy(r.inside(symbol, offset, bytes), from, bytes, kind); });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* before, std::size_t count, void* to,
                                             const void* symbol, std::size_t bytes, std::size_t offset,
                                             cudaMemcpyKind kind) {
  return add(__func__, node, graph, before, count,
             [&](Runtime& r) { return line_copy(to, r.inside(symbol, offset, bytes), bytes, kind); });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   std::size_t count, const cudaMemsetParams* p) {
  return add(__func__, node, graph, before, count, [&](Runtime&) { return work_of(p); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                 std::size_t count, const cudaHostNodeParams* p) {
  return add(__func__, node, graph, before, count, [&](Runtime&) { return work_of(p); });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* before, std::size_t count, cudaGraph_t child) {
  return add(__func__, node, graph, before, count,
             [&](Runtime& r) { return ChildWork{graph_of(r, child).clone()}; });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                  std::size_t count) {
  return add(__func__, node, graph, before, count, [](Runtime&) { return EmptyWork{}; });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* before, std::size_t count, cudaEvent_t event) {
  return add(__func__, node, graph, before, count,
             [&](Runtime& r) { return RecordWork{&r.handles.event(event)}; });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                      std::size_t count, cudaEvent_t event) {
  return add(__func__, node, graph, before, count,
             [&](Runtime& r) { return WaitWork{&r.handles.event(event)}; });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                     std::size_t count, cudaMemAllocNodeParams* p) {
  return add(__func__, node, graph, before, count, [&](Runtime& r) {
    require(p != nullptr, cudaErrorInvalidValue);
    return allocated(r, *p);
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                    std::size_t count, void* pointer) {
  return add(__func__, node, graph, before, count, [&](Runtime&) { return FreeWork{pointer}; });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                             const cudaGraphEdgeData*, std::size_t count, cudaGraphNodeParams* p) {
  return add(__func__, node, graph, before, count, [&](Runtime& r) { return work_of(r, p); });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t handle, cudaKernelNodeParams* p) {
  return call(__func__, [&](Runtime& r) {
    require(p != nullptr, cudaErrorInvalidValue);
    auto& work = work_in<KernelWork>(r, handle);
    Node& node = node_of(r, handle);
    node.argument_pointers.clear();
    for (const emulator::Parameter& each : r.kernel(*work.function).parameters)
      node.argument_pointers.push_back(work.parameters.data() + each.offset);
    *p = {const_cast<void*>(Registry::instance().stub_of(*work.function)),
          dim3(work.grid.x, work.grid.y, work.grid.z),
          dim3(work.block.x, work.block.y, work.block.z),
          static_cast<unsigned>(work.dynamic_shared),
          node.argument_pointers.data(),
          nullptr};
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
  return call(__func__, [&](Runtime& r) { work_in<KernelWork>(r, node) = work_of(r, p); });
}

// Attributes concern caches and priorities, which the emulator does not have.
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  return call(__func__, [&](Runtime& r) {
    work_in<KernelWork>(r, to).cooperative = work_in<KernelWork>(r, from).cooperative;
  });
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID which,
                                            cudaKernelNodeAttrValue* value) {
  return call(__func__, [&](Runtime& r) {
    require(value != nullptr, cudaErrorInvalidValue);
    *value = {};
    const auto& work = work_in<KernelWork>(r, node);
    if (which == cudaLaunchAttributeCooperative) value->cooperative = work.cooperative ? 1 : 0;
  });
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID which,
                                            const cudaKernelNodeAttrValue* value) {
  return call(__func__, [&](Runtime& r) {
    require(value != nullptr, cudaErrorInvalidValue);
    auto& work = work_in<KernelWork>(r, node);
    if (which == cudaLaunchAttributeCooperative) work.cooperative = value->cooperative != 0;
  });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* p) {
  return call(__func__, [&](Runtime& r) {
    require(p != nullptr, cudaErrorInvalidValue);
    *p = parameters_of(work_in<CopyWork>(r, node));
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* p) {
  return call(__func__, [&](Runtime& r) { work_in<CopyWork>(r, node) = box_copy(p); });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           std::size_t bytes, cudaMemcpyKind kind) {
  return call(__func__, [&](Runtime& r) { work_in<CopyWork>(r, node) = line_copy(to, from, bytes, kind); });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* p) {
  return call(__func__, [&](Runtime& r) {
    require(p != nullptr, cudaErrorInvalidValue);
    const auto& work = work_in<FillWork>(r, node);
    *p = {work.to, work.pitch, work.value, work.element, work.width / work.element, work.height};
  });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* p) {
  return call(__func__, [&](Runtime& r) { work_in<FillWork>(r, node) = work_of(p); });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* p) {
  return call(__func__, [&](Runtime& r) {
    require(p != nullptr, cudaErrorInvalidValue);
    const auto& work = work_in<HostWork>(r, node);
    *p = {work.function, work.data};
  });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* p) {
  return call(__func__, [&](Runtime& r) { work_in<HostWork>(r, node) = work_of(p); });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return call(__func__, [&](Runtime& r) {
    require(graph != nullptr, cudaErrorInvalidValue);
    *graph = handle_of(work_in<ChildWork>(r, node).graph.get());
  });
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return call(__func__, [&](Runtime& r) {
    require(event != nullptr, cudaErrorInvalidValue);
    *event = reinterpret_cast<cudaEvent_t>(work_in<RecordWork>(r, node).event);
  });
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return call(__func__, [&](Runtime& r) { work_in<RecordWork>(r, node).event = &r.handles.event(event); });
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return call(__func__, [&](Runtime& r) {
    require(event != nullptr, cudaErrorInvalidValue);
    *event = reinterpret_cast<cudaEvent_t>(work_in<WaitWork>(r, node).event);
  });
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return call(__func__, [&](Runtime& r) { work_in<WaitWork>(r, node).event = &r.handles.event(event); });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* p) {
  return call(__func__, [&](Runtime& r) {
    require(p != nullptr, cudaErrorInvalidValue);
    *p = work_in<AllocateWork>(r, node).parameters;
  });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
  return call(__func__, [&](Runtime& r) {
    require(pointer != nullptr, cudaErrorInvalidValue);
    *static_cast<void**>(pointer) = work_in<FreeWork>(r, node).pointer;
  });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t handle, cudaGraphNodeParams* p) {
  return call(__func__, [&](Runtime& r) {
    Node& node = node_of(r, handle);
    require(p != nullptr && p->type == type_of(node.work), cudaErrorInvalidValue);
    node.work = work_of(r, p);
  });
}

}  // extern "C"
