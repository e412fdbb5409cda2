// Graphs that the program builds node by node. Messages are not trusted: the emulator looks up handles, sizes
// and addresses are checked, and the numbers of nodes and edges are limited.
#include <algorithm>

#include "cudart/api/warpgrade.h"
#include "remoting/backend/session.hpp"

namespace warpgrade::remoting {
namespace {

constexpr std::size_t kMostNodes = 4096;          // of all graphs, those of child graphs each time
constexpr std::size_t kMostEdges = 65'536;        // of all graphs
constexpr std::size_t kMostListedNodes = 20'000;  // nodes in a record

std::vector<cudaGraphNode_t> handles_in(MessageReader& in) {
  const std::string bytes = in.text();
  std::vector<cudaGraphNode_t> found(bytes.size() / sizeof(cudaGraphNode_t));
  std::copy_n(bytes.data(), found.size() * sizeof(cudaGraphNode_t), reinterpret_cast<char*>(found.data()));
  return found;
}

cudaMemsetParamsV2 memset_in(MessageReader& in) {
  auto* const to = in.get<void*>();
  const auto pitch = in.get<std::size_t>();
  const auto value = in.get<unsigned>(), element = in.get<unsigned>();
  const auto width = in.get<std::size_t>(), height = in.get<std::size_t>();
  return {to, pitch, value, element, width, height};
}

// All or the root nodes of the graph.
std::vector<cudaGraphNode_t> nodes_in(decltype(&cudaGraphGetNodes) get, cudaGraph_t graph,
                                      cudaError_t& code) {
  std::size_t count = 0;
  code = get(graph, nullptr, &count);
  std::vector<cudaGraphNode_t> found(count);
  if (code == cudaSuccess) code = get(graph, found.data(), &count);
  return found;
}

}  // namespace

bool ProgramSession::KernelArguments::read(const void* kernel, MessageReader& in, InputExchange* exchange) {
  while (in.left() != 0) values.push_back(in.text());
  for (std::string& each : values)
    if (exchange != nullptr) exchange->exchange_argument(each);
  std::size_t offset = 0, bytes = 0;
  for (std::string& each : values) {
    if (cudaFuncGetParamInfo(kernel, pointers.size(), &offset, &bytes) != cudaSuccess || bytes != each.size())
      return false;
    pointers.push_back(each.data());
  }
  return cudaFuncGetParamInfo(kernel, pointers.size(), &offset, &bytes) != cudaSuccess;
}

cudaError_t ProgramSession::read(MessageReader& in, NodeWork& node, CallRecord& record) {
  cudaGraphNodeParams& p = node.parameters;
  const auto type = in.get<unsigned>();  // any number: enumerations must not get values without an enumerator
  p.type = type < cudaGraphNodeTypeCount ? static_cast<cudaGraphNodeType>(type) : cudaGraphNodeTypeCount;
  switch (p.type) {
    case cudaGraphNodeTypeEmpty:
      return cudaSuccess;
    case cudaGraphNodeTypeKernel:
      return read_kernel(in, node, record);
    case cudaGraphNodeTypeMemcpy:
      return read(in, node.copy, record);
    case cudaGraphNodeTypeMemset:
      p.memset = memset_in(in);
      return is_device_address(p.memset.dst) ? cudaSuccess : cudaErrorInvalidValue;
    case cudaGraphNodeTypeHost:
      p.host.fn = run_in_program;
      p.host.userData = &function_in(in);
      return cudaSuccess;
    case cudaGraphNodeTypeGraph:
      p.graph.graph = in.get<cudaGraph_t>();
      return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
      p.eventWait.event = in.get<cudaEvent_t>();
      return cudaSuccess;
    case cudaGraphNodeTypeEventRecord:
      p.eventRecord.event = in.get<cudaEvent_t>();
      return cudaSuccess;
    case cudaGraphNodeTypeMemAlloc:
      record.bytes = p.alloc.bytesize = in.get<std::size_t>();
      return cudaSuccess;
    case cudaGraphNodeTypeMemFree:
      p.free.dptr = in.get<void*>();
      return cudaSuccess;
    default:
      record.why =
          "the emulator runs no such node for programs of labs: no CUDA array, no gaps between the slices of "
          "a box. `warpgrade run` runs programs of your own with it";
      return cudaErrorNotSupported;
  }
}

cudaError_t ProgramSession::read_kernel(MessageReader& in, NodeWork& node, CallRecord& record) const {
  const auto* kernel = in.get<const void*>();
  record.grid = in.get<dim3>();
  record.block = in.get<dim3>();
  const auto shared = in.get<std::size_t>();
  if (const auto named = kernels_.find(kernel); named != kernels_.end()) record.kernel = named->second;
  if (!node.arguments.read(kernel, in, exchange_)) return cudaErrorInvalidValue;
  node.parameters.kernel = {
      const_cast<void*>(kernel),      record.grid, record.block, static_cast<unsigned>(shared),
      node.arguments.pointers.data(), nullptr};
  return cudaSuccess;
}

// `make` adds or changes a node by the parameters.
cudaError_t ProgramSession::make_node(NodeWork& node, CallRecord& record,
                                      const std::function<cudaError_t()>& make) {
  record.captured = true;
  if (node.parameters.type == cudaGraphNodeTypeMemcpy)
    return put_into_graph(node.copy, record, [&] {
      const RowsCopy& c = node.copy;
      cudaMemcpy3DParms& p = node.parameters.memcpy.copyParams;
      p = {};
      const bool rows = c.height > 1;
      p.dstPtr = {c.to, rows ? c.to_pitch : c.width, c.width, c.height};
      p.srcPtr = {const_cast<void*>(c.from), rows ? c.from_pitch : c.width, c.width, c.height};
      p.extent = {c.width, c.height, 1};
      p.kind = c.kind;
      return make();
    });
  const cudaError_t code = make();
  if (code == cudaSuccess && node.parameters.type == cudaGraphNodeTypeKernel)
    record.launch = warpgradeLastLaunch();
  if (tracks_) note_sent(node);
  return code;
}

// The values that the node itself brings to the device: arguments, or the value of a fill of a few bytes.
void ProgramSession::note_sent(const NodeWork& node) {
  const cudaGraphNodeParams& p = node.parameters;
  for (std::size_t i = 0; i < node.arguments.values.size(); ++i)
    origin_.sent_argument(p.kernel.func, i, node.arguments.values[i]);
  const auto& fill = p.memset;
  const std::size_t bytes = fill.width * fill.elementSize;
  if (p.type == cudaGraphNodeTypeMemset && fill.height <= 1 && bytes <= sizeof fill.value)
    origin_.sent({reinterpret_cast<const char*>(&fill.value), bytes}, address(fill.dst));
}

bool ProgramSession::have_room(std::size_t nodes, std::size_t edges, CallRecord& record) const {
  const bool fits = made_nodes_ + nodes <= kMostNodes && made_edges_ + edges <= kMostEdges;
  if (!fits) record.why = "the graphs of the program have too many nodes or edges for the emulator";
  return fits;
}

std::size_t ProgramSession::size_of(cudaGraph_t graph) const {
  const auto found = nodes_inside_.find(address(graph));
  if (found != nodes_inside_.end()) return found->second;
  std::size_t count = 0;  // of one that was captured
  cudaGraphGetNodes(graph, nullptr, &count);
  return count;
}

cudaError_t ProgramSession::clone_graph(MessageReader& in, Answer& out, CallRecord& record) {
  const auto graph = in.get<cudaGraph_t>();
  const std::size_t inside = size_of(graph);
  if (!have_room(inside, 0, record)) return cudaErrorMemoryAllocation;
  cudaGraph_t made = nullptr;
  const cudaError_t code = cudaGraphClone(&made, graph);
  if (code != cudaSuccess) return code;
  made_nodes_ += inside;
  nodes_inside_[address(made)] = inside;
  out.out.put(made);
  return code;
}

cudaError_t ProgramSession::add_node(MessageReader& in, Answer& out, CallRecord& record) {
  const auto graph = in.get<cudaGraph_t>();
  const std::vector<cudaGraphNode_t> before = handles_in(in);
  NodeWork node;
  if (const cudaError_t code = read(in, node, record); code != cudaSuccess) return code;
  const std::size_t inside =
      node.parameters.type == cudaGraphNodeTypeGraph ? size_of(node.parameters.graph.graph) : 0;
  if (!have_room(1 + inside, before.size(), record)) return cudaErrorMemoryAllocation;
  cudaGraphNode_t made = nullptr;
  const cudaError_t code = make_node(node, record, [&] {
    return cudaGraphAddNode(&made, graph, before.data(), nullptr, before.size(), &node.parameters);
  });
  if (code != cudaSuccess) return code;
  made_nodes_ += 1 + inside;
  made_edges_ += before.size();
  nodes_inside_[address(graph)] += 1 + inside;
  void* const memory =
      node.parameters.type == cudaGraphNodeTypeMemAlloc ? node.parameters.alloc.dptr : nullptr;
  record.memory = address(memory);
  out.out.put(made).put(memory);
  return code;
}

cudaError_t ProgramSession::change_node(ApiFunction function, MessageReader& in, CallRecord& record) {
  const auto executable =
      function < ApiFunction::cudaGraphExecNodeSetParams ? nullptr : in.get<cudaGraphExec_t>();
  const auto which = in.get<cudaGraphNode_t>();
  NodeWork node;
  if (const cudaError_t code = read(in, node, record); code != cudaSuccess) return code;
  if (node.parameters.type == cudaGraphNodeTypeGraph) return cudaErrorNotSupported;  // it may be too large
  return make_node(node, record, [&] {
    return executable == nullptr ? cudaGraphNodeSetParams(which, &node.parameters)
                                 : cudaGraphExecNodeSetParams(executable, which, &node.parameters);
  });
}

cudaError_t ProgramSession::change_edges(ApiFunction function, MessageReader& in, CallRecord& record) {
  const auto graph = in.get<cudaGraph_t>();
  const std::vector<cudaGraphNode_t> from = handles_in(in), to = handles_in(in);
  if (from.size() != to.size()) return cudaErrorInvalidValue;
  if (!have_room(0, from.size(), record)) return cudaErrorMemoryAllocation;
  made_edges_ += from.size();
  return function == ApiFunction::cudaGraphAddDependencies
             ? cudaGraphAddDependencies(graph, from.data(), to.data(), nullptr, from.size())
             : cudaGraphRemoveDependencies(graph, from.data(), to.data(), nullptr, from.size());
}

cudaError_t ProgramSession::call_nodes(ApiFunction function, MessageReader& in, Answer& out,
                                       CallRecord& record) {
  cudaError_t code = cudaSuccess;
  switch (function) {
    case ApiFunction::cudaGraphCreate: {
      cudaGraph_t made = nullptr;
      code = cudaGraphCreate(&made, in.get<unsigned>());
      nodes_inside_[address(made)] = 0;
      out.out.put(made);
      return code;
    }
    case ApiFunction::cudaGraphClone:
      return clone_graph(in, out, record);
    case ApiFunction::cudaGraphGetNodes:
    case ApiFunction::cudaGraphGetRootNodes: {
      const bool all = function == ApiFunction::cudaGraphGetNodes;
      for (const cudaGraphNode_t each :
           nodes_in(all ? cudaGraphGetNodes : cudaGraphGetRootNodes, in.get<cudaGraph_t>(), code))
        out.out.put(each);
      return code;
    }
    case ApiFunction::cudaGraphNodeGetType: {
      auto type = cudaGraphNodeTypeEmpty;
      code = cudaGraphNodeGetType(in.get<cudaGraphNode_t>(), &type);
      out.out.put(type);
      return code;
    }
    case ApiFunction::cudaGraphDestroyNode:
      return cudaGraphDestroyNode(in.get<cudaGraphNode_t>());
    case ApiFunction::cudaGraphAddDependencies:
    case ApiFunction::cudaGraphRemoveDependencies:
      return change_edges(function, in, record);
    default:
      break;
  }
  return function < ApiFunction::cudaGraphNodeSetParams ? add_node(in, out, record)
                                                        : change_node(function, in, record);
}

std::vector<NodeRecord> ProgramSession::nodes_of(cudaGraphExec_t executable) const {
  struct Found {
    const ProgramSession& session;
    std::vector<NodeRecord> nodes;
  } found{*this, {}};
  warpgradeGraphNodes(
      executable,
      [](void* into, const warpgradeNode* node) {
        auto& [session, nodes] = *static_cast<Found*>(into);
        NodeRecord made{-1, "", 0, {node->before, node->before + node->before_count}};
        const auto& calls = node->launch != 0 ? session.launch_calls_ : session.copy_calls_;
        const auto call = calls.find(node->launch != 0 ? node->launch : node->copy);
        if (call != calls.end()) made.call = call->second;
        if (call != calls.end())
          made.does =
              name_of(node->launch != 0 ? ApiFunction::cudaLaunchKernel : ApiFunction::cudaMemcpyAsync);
        if (node->recorded != nullptr) made.does = name_of(ApiFunction::cudaEventRecord);
        if (node->awaited != nullptr) made.does = name_of(ApiFunction::cudaStreamWaitEvent);
        made.event = address(node->recorded != nullptr ? node->recorded : node->awaited);
        nodes.push_back(std::move(made));
      },
      &found);
  return std::move(found.nodes);
}

void ProgramSession::list_nodes(cudaGraphExec_t executable, CallRecord& record) {
  std::vector<NodeRecord> now = nodes_of(executable);
  std::vector<NodeRecord>& known = known_nodes_[address(executable)];
  if (now == known || listed_nodes_ + now.size() > kMostListedNodes) return;
  listed_nodes_ += now.size();
  record.nodes = known = std::move(now);
}

}  // namespace warpgrade::remoting
