// Graphs that a program builds node by node. The kinds of parameters that CUDA has for a node are sent alike.
#include <algorithm>
#include <vector>

#include "remoting/frontend/connection.hpp"
#include "remoting/frontend/copy.hpp"
#include "remoting/frontend/kernel_arguments.hpp"

using namespace warpgrade::remoting;

namespace {

std::string handles(const cudaGraphNode_t* nodes, std::size_t count) {
  return nodes == nullptr ? std::string()
                          : std::string(reinterpret_cast<const char*>(nodes), count * sizeof *nodes);
}

// The work of a node, as a message; an error if the program's description is invalid.
struct NodeMessage {
  MessageWriter bytes;
  cudaError_t code = cudaSuccess;
};

template <class... In>
NodeMessage node(cudaGraphNodeType type, const In&... in) {
  return {arguments(type, in...)};
}

// The back end refuses it, and the record says so.
NodeMessage unsupported() { return node(cudaGraphNodeTypeCount); }

// `p`: cudaKernelNodeParams or the structure of the same members that cudaGraphAddNode takes.
template <class Parameters>
NodeMessage kernel_node(const Parameters* p, const void* caller) {
  if (p == nullptr) return {{}, cudaErrorInvalidValue};
  if (p->extra != nullptr) return unsupported();
  NodeMessage made = node(cudaGraphNodeTypeKernel, static_cast<const void*>(p->func), dim3(p->gridDim),
                          dim3(p->blockDim), std::size_t{p->sharedMemBytes});
  made.code = put_arguments(made.bytes, p->func, p->kernelParams, caller);
  return made;
}

NodeMessage copy_node(const ProgramCopy& copy) {
  NodeMessage made = node(cudaGraphNodeTypeMemcpy);
  if (!put(made.bytes, copy)) made.code = cudaErrorInvalidValue;
  return made;
}

NodeMessage copy_node(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy_node(ProgramCopy{to, bytes, from, bytes, bytes, 1, kind, nullptr});
}

void* corner(const cudaPitchedPtr& box, const cudaPos& at) {
  return static_cast<char*>(box.ptr) + (at.z * box.ysize + at.y) * box.pitch + at.x;
}

// Slices that follow each other without a gap are rows.
NodeMessage copy_node(const cudaMemcpy3DParms* p) {
  if (p == nullptr) return {{}, cudaErrorInvalidValue};
  const cudaExtent& e = p->extent;
  const bool gaps = e.depth > 1 && (p->dstPtr.ysize != e.height || p->srcPtr.ysize != e.height);
  if (p->srcArray != nullptr || p->dstArray != nullptr || gaps) return unsupported();
  std::uint64_t rows = 0;
  if (__builtin_mul_overflow(e.height, e.depth, &rows)) return {{}, cudaErrorInvalidValue};
  return copy_node(ProgramCopy{corner(p->dstPtr, p->dstPos), p->dstPtr.pitch, corner(p->srcPtr, p->srcPos),
                               p->srcPtr.pitch, e.width, rows, p->kind, nullptr});
}

NodeMessage symbol_node(const void* symbol, void* to, const void* from, std::size_t bytes, std::size_t offset,
                        cudaMemcpyKind kind, const void* caller) {
  void* place = nullptr;
  if (const cudaError_t code = place_of(symbol, offset, caller, place); code != cudaSuccess)
    return {{}, code};
  return copy_node(to == nullptr ? place : to, from == nullptr ? place : from, bytes, kind);
}

template <class Parameters>
NodeMessage host_node(const Parameters* p) {
  if (p == nullptr || p->fn == nullptr) return {{}, cudaErrorInvalidValue};
  return node(cudaGraphNodeTypeHost, p->fn, p->userData);
}

template <class Parameters>
NodeMessage fill_node(const Parameters* p) {
  if (p == nullptr) return {{}, cudaErrorInvalidValue};
  return node(cudaGraphNodeTypeMemset, p->dst, p->pitch, p->value, p->elementSize, p->width, p->height);
}

NodeMessage any_node(const cudaGraphNodeParams* p, const void* caller) {
  if (p == nullptr) return {{}, cudaErrorInvalidValue};
  switch (p->type) {
    case cudaGraphNodeTypeEmpty:
      return node(p->type);
    case cudaGraphNodeTypeKernel:
      return kernel_node(&p->kernel, caller);
    case cudaGraphNodeTypeMemcpy:
      return copy_node(&p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      return fill_node(&p->memset);
    case cudaGraphNodeTypeHost:
      return host_node(&p->host);
    case cudaGraphNodeTypeGraph:
      return node(p->type, p->graph.graph);
    case cudaGraphNodeTypeWaitEvent:
      return node(p->type, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return node(p->type, p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
      return node(p->type, p->alloc.bytesize);
    case cudaGraphNodeTypeMemFree:
      return node(p->type, p->free.dptr);
    default:
      return unsupported();
  }
}

// `memory`: of a node that allocates some.
cudaError_t add(ApiFunction function, const void* caller, cudaGraphNode_t* out, cudaGraph_t graph,
                const cudaGraphNode_t* before, std::size_t count, const NodeMessage& does,
                void** memory = nullptr) {
  if (does.code != cudaSuccess) return failed(does.code);
  if (out == nullptr || (before == nullptr && count != 0)) return failed(cudaErrorInvalidValue);
  MessageWriter in = arguments(graph);
  in.text(handles(before, count)).append(does.bytes.bytes().data(), does.bytes.bytes().size());
  void* made = nullptr;
  const cudaError_t code = remote(function, caller, in, out, &made);
  if (code == cudaSuccess && memory != nullptr) *memory = made;
  return code;
}

// `which`: a node, or an executable graph and a node.
template <class... Which>
cudaError_t change(ApiFunction function, const void* caller, const NodeMessage& does, Which... which) {
  if (does.code != cudaSuccess) return failed(does.code);
  MessageWriter in = arguments(which...);
  in.append(does.bytes.bytes().data(), does.bytes.bytes().size());
  return remote(function, caller, in);
}

cudaError_t edges(ApiFunction function, const void* caller, cudaGraph_t graph, const cudaGraphNode_t* from,
                  const cudaGraphNode_t* to, std::size_t count) {
  if (count != 0 && (from == nullptr || to == nullptr)) return failed(cudaErrorInvalidValue);
  MessageWriter in = arguments(graph);
  return remote(function, caller, in.text(handles(from, count)).text(handles(to, count)));
}

// As many as fit; the rest of the array becomes null.
cudaError_t list(ApiFunction function, const void* caller, cudaGraph_t graph, cudaGraphNode_t* nodes,
                 std::size_t* count) {
  if (count == nullptr) return failed(cudaErrorInvalidValue);
  std::string out;
  const cudaError_t code = ask(function, caller, arguments(graph), out);
  if (code != cudaSuccess) return code;
  const std::size_t all = out.size() / sizeof *nodes;
  if (nodes != nullptr) {
    std::fill_n(nodes, *count, nullptr);
    std::memcpy(nodes, out.data(), std::min(all, *count) * sizeof *nodes);
    *count = std::min(all, *count);
  } else {
    *count = all;
  }
  return code;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return remote(ApiFunction::cudaGraphCreate, CALLER, arguments(flags), graph);
}
cudaError_t cudaGraphClone(cudaGraph_t* copy, cudaGraph_t graph) {
  return remote(ApiFunction::cudaGraphClone, CALLER, arguments(graph), copy);
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return list(ApiFunction::cudaGraphGetNodes, CALLER, graph, nodes, count);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return list(ApiFunction::cudaGraphGetRootNodes, CALLER, graph, nodes, count);
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t of, cudaGraphNodeType* type) {
  return remote(ApiFunction::cudaGraphNodeGetType, CALLER, arguments(of), type);
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t which) {
  return remote(ApiFunction::cudaGraphDestroyNode, CALLER, arguments(which));
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*, std::size_t count) {
  return edges(ApiFunction::cudaGraphAddDependencies, CALLER, graph, from, to, count);
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        std::size_t count) {
  return edges(ApiFunction::cudaGraphRemoveDependencies, CALLER, graph, from, to, count);
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* before,
                             const cudaGraphEdgeData*, std::size_t count, cudaGraphNodeParams* p) {
  void** const memory = p != nullptr && p->type == cudaGraphNodeTypeMemAlloc ? &p->alloc.dptr : nullptr;
  return add(ApiFunction::cudaGraphAddNode, CALLER, out, graph, before, count, any_node(p, CALLER), memory);
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* before,
                                  std::size_t count) {
  return add(ApiFunction::cudaGraphAddEmptyNode, CALLER, out, graph, before, count,
             node(cudaGraphNodeTypeEmpty));
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   std::size_t count, const cudaKernelNodeParams* p) {
  return add(ApiFunction::cudaGraphAddKernelNode, CALLER, out, graph, before, count, kernel_node(p, CALLER));
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   std::size_t count, const cudaMemcpy3DParms* p) {
  return add(ApiFunction::cudaGraphAddMemcpyNode, CALLER, out, graph, before, count, copy_node(p));
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* before,
                                     std::size_t count, void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  return add(ApiFunction::cudaGraphAddMemcpyNode1D, CALLER, out, graph, before, count,
             copy_node(to, from, bytes, kind));
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* out, cudaGraph_t graph,
                                           const cudaGraphNode_t* before, std::size_t count,
                                           const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind) {
  return add(ApiFunction::cudaGraphAddMemcpyNodeToSymbol, CALLER, out, graph, before, count,
             symbol_node(symbol, nullptr, from, bytes, offset, kind, CALLER));
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* out, cudaGraph_t graph,
                                             const cudaGraphNode_t* before, std::size_t count, void* to,
                                             const void* symbol, std::size_t bytes, std::size_t offset,
                                             cudaMemcpyKind kind) {
  return add(ApiFunction::cudaGraphAddMemcpyNodeFromSymbol, CALLER, out, graph, before, count,
             symbol_node(symbol, to, nullptr, bytes, offset, kind, CALLER));
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   std::size_t count, const cudaMemsetParams* p) {
  return add(ApiFunction::cudaGraphAddMemsetNode, CALLER, out, graph, before, count, fill_node(p));
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* before,
                                 std::size_t count, const cudaHostNodeParams* p) {
  return add(ApiFunction::cudaGraphAddHostNode, CALLER, out, graph, before, count, host_node(p));
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* before,
                                       std::size_t count, cudaGraph_t child) {
  return add(ApiFunction::cudaGraphAddChildGraphNode, CALLER, out, graph, before, count,
             node(cudaGraphNodeTypeGraph, child));
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* out, cudaGraph_t graph,
                                        const cudaGraphNode_t* before, std::size_t count, cudaEvent_t event) {
  return add(ApiFunction::cudaGraphAddEventRecordNode, CALLER, out, graph, before, count,
             node(cudaGraphNodeTypeEventRecord, event));
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* before,
                                      std::size_t count, cudaEvent_t event) {
  return add(ApiFunction::cudaGraphAddEventWaitNode, CALLER, out, graph, before, count,
             node(cudaGraphNodeTypeWaitEvent, event));
}
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* before,
                                     std::size_t count, cudaMemAllocNodeParams* p) {
  if (p == nullptr) return failed(cudaErrorInvalidValue);
  return add(ApiFunction::cudaGraphAddMemAllocNode, CALLER, out, graph, before, count,
             node(cudaGraphNodeTypeMemAlloc, p->bytesize), &p->dptr);
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* before,
                                    std::size_t count, void* memory) {
  return add(ApiFunction::cudaGraphAddMemFreeNode, CALLER, out, graph, before, count,
             node(cudaGraphNodeTypeMemFree, memory));
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t which, cudaGraphNodeParams* p) {
  return change(ApiFunction::cudaGraphNodeSetParams, CALLER, any_node(p, CALLER), which);
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t which, const cudaKernelNodeParams* p) {
  return change(ApiFunction::cudaGraphKernelNodeSetParams, CALLER, kernel_node(p, CALLER), which);
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t which, const cudaMemcpy3DParms* p) {
  return change(ApiFunction::cudaGraphMemcpyNodeSetParams, CALLER, copy_node(p), which);
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t which, void* to, const void* from,
                                           std::size_t bytes, cudaMemcpyKind kind) {
  return change(ApiFunction::cudaGraphMemcpyNodeSetParams1D, CALLER, copy_node(to, from, bytes, kind), which);
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t which, const cudaMemsetParams* p) {
  return change(ApiFunction::cudaGraphMemsetNodeSetParams, CALLER, fill_node(p), which);
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t which, const cudaHostNodeParams* p) {
  return change(ApiFunction::cudaGraphHostNodeSetParams, CALLER, host_node(p), which);
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t of, cudaGraphNode_t which,
                                           const cudaHostNodeParams* p) {
  return change(ApiFunction::cudaGraphExecHostNodeSetParams, CALLER, host_node(p), of, which);
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t of, cudaGraphNode_t which, cudaGraphNodeParams* p) {
  return change(ApiFunction::cudaGraphExecNodeSetParams, CALLER, any_node(p, CALLER), of, which);
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t of, cudaGraphNode_t which,
                                             const cudaKernelNodeParams* p) {
  return change(ApiFunction::cudaGraphExecKernelNodeSetParams, CALLER, kernel_node(p, CALLER), of, which);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t of, cudaGraphNode_t which,
                                             const cudaMemcpy3DParms* p) {
  return change(ApiFunction::cudaGraphExecMemcpyNodeSetParams, CALLER, copy_node(p), of, which);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t of, cudaGraphNode_t which, void* to,
                                               const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return change(ApiFunction::cudaGraphExecMemcpyNodeSetParams1D, CALLER, copy_node(to, from, bytes, kind), of,
                which);
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t of, cudaGraphNode_t which,
                                             const cudaMemsetParams* p) {
  return change(ApiFunction::cudaGraphExecMemsetNodeSetParams, CALLER, fill_node(p), of, which);
}

}  // extern "C"
#pragma GCC visibility pop
