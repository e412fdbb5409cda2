// Graphs by their handles, and work from the structures in which programs describe it.
#pragma once

#include "cudart/api/api.hpp"

namespace warpgrade::cudart {

// Throw Failure (cudaErrorInvalidValue) for a handle that is not a graph or node of the program.
Graph& graph_of(Runtime& runtime, cudaGraph_t handle);
Node& node_of(Runtime& runtime, cudaGraphNode_t handle);
GraphExec& exec_of(Runtime& runtime, cudaGraphExec_t handle);
std::vector<Node*> nodes_of(const Graph& graph, const cudaGraphNode_t* handles, std::size_t count);

inline cudaGraph_t handle_of(Graph* graph) { return reinterpret_cast<cudaGraph_t>(graph); }
inline cudaGraphNode_t handle_of(const Node* node) {
  return reinterpret_cast<cudaGraphNode_t>(const_cast<Node*>(node));
}

// A program calls twice: with a null array for the number, then for the handles. As many as fit are stored;
// the rest of the array is set to null.
void give_nodes(const std::vector<Node*>& nodes, cudaGraphNode_t* out, std::size_t* count);

KernelWork work_of(Runtime& runtime, const cudaKernelNodeParams* parameters);
FillWork work_of(const cudaMemsetParams* parameters);
HostWork work_of(const cudaHostNodeParams* parameters);
Work work_of(Runtime& runtime, cudaGraphNodeParams* parameters);
// Memory of an allocation node: reserved when the node is created, as the program gets its address then.
AllocateWork allocated(Runtime& runtime, cudaMemAllocNodeParams& parameters);

}  // namespace warpgrade::cudart
