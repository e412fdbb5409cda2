// Graph management: the structure of graphs.
#include <algorithm>
#include <fstream>

#include "cudart/work/graph_handles.hpp"

using namespace warpgrade::cudart;

namespace {

void release_user_object(Runtime& r, void* handle, std::uint64_t count) {
  UserObject* object = r.handles.user_objects.find(handle);
  require(object != nullptr && object->references >= count, cudaErrorInvalidValue);
  object->references -= count;
  if (object->references != 0) return;
  const auto last = r.handles.user_objects.take(handle);
  run(r, HostWork{last->destroy, last->pointer});
}

struct Edges {
  std::vector<Node*> from, to;
};

Edges edges_of(const Graph& graph) {
  Edges all;
  for (const auto& node : graph.nodes)
    for (Node* before : node->before) {
      all.from.push_back(before);
      all.to.push_back(node.get());
    }
  return all;
}

void give_edges(const std::vector<Node*>& nodes, cudaGraphNode_t* out, cudaGraphEdgeData* data,
                std::size_t* count) {
  require(count != nullptr && (data == nullptr || out != nullptr), cudaErrorInvalidValue);
  const std::size_t capacity = *count;
  give_nodes(nodes, out, count);
  if (data != nullptr) std::fill_n(data, std::min(capacity, nodes.size()), cudaGraphEdgeData{});
}

const char* word(const Work& work) {
  constexpr const char* kWords[] = {"empty",        "kernel",     "copy",        "fill",       "host",
                                    "event record", "event wait", "child graph", "allocation", "free"};
  static_assert(std::size(kWords) == std::variant_size_v<Work>);
  return kWords[work.index()];
}

}  // namespace

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return call(__func__, [&](Runtime& r) {
    require(graph != nullptr && flags == 0, cudaErrorInvalidValue);
    *graph = handle_of(r.handles.graphs.add(std::make_unique<Graph>()));
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  return call(__func__, [&](Runtime& r) {
    const auto graph = r.handles.graphs.take(handle);
    require(graph != nullptr, cudaErrorInvalidValue);
    for (const auto& [object, count] : graph->user_objects) release_user_object(r, object, count);
  });
}

cudaError_t cudaGraphClone(cudaGraph_t* copy, cudaGraph_t original) {
  return call(__func__, [&](Runtime& r) {
    require(copy != nullptr, cudaErrorInvalidValue);
    *copy = handle_of(r.handles.graphs.add(graph_of(r, original).clone()));
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t original, cudaGraph_t copy) {
  return call(__func__, [&](Runtime& r) {
    require(found != nullptr, cudaErrorInvalidValue);
    const Node& wanted = node_of(r, original);
    for (const auto& each : graph_of(r, copy).nodes)
      if (each->cloned_from == &wanted) {
        *found = handle_of(each.get());
        return;
      }
    fail(cudaErrorInvalidValue);
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return call(__func__, [&](Runtime& r) {
    require(type != nullptr, cudaErrorInvalidValue);
    *type = type_of(node_of(r, node).work);
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return call(__func__, [&](Runtime& r) {
    std::vector<Node*> all;
    for (const auto& each : graph_of(r, graph).nodes) all.push_back(each.get());
    give_nodes(all, nodes, count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return call(__func__, [&](Runtime& r) {
    std::vector<Node*> roots;
    for (const auto& each : graph_of(r, graph).nodes)
      if (each->before.empty()) roots.push_back(each.get());
    give_nodes(roots, nodes, count);
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* data, std::size_t* count) {
  return call(__func__, [&](Runtime& r) {
    require(count != nullptr && (from == nullptr) == (to == nullptr), cudaErrorInvalidValue);
    const Edges edges = edges_of(graph_of(r, graph));
    std::size_t same = *count;
    give_edges(edges.from, from, data, &same);
    give_nodes(edges.to, to, count);
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData* data, std::size_t* count) {
  return call(__func__, [&](Runtime& r) { give_edges(node_of(r, node).before, nodes, data, count); });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t handle, cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData* data, std::size_t* count) {
  return call(__func__, [&](Runtime& r) {
    Node& node = node_of(r, handle);
    std::vector<Node*> behind;
    for (const auto& each : node.graph->nodes)
      if (std::count(each->before.begin(), each->before.end(), &node) != 0) behind.push_back(each.get());
    give_edges(behind, nodes, data, count);
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*, std::size_t count) {
  return call(__func__, [&](Runtime& r) {
    const Graph& graph = graph_of(r, handle);
    require(count == 0 || (from != nullptr && to != nullptr), cudaErrorInvalidValue);
    for (std::size_t i = 0; i < count; ++i) {
      Node *first = graph.find(from[i]), *then = graph.find(to[i]);
      require(first != nullptr && then != nullptr && first != then &&
                  std::count(then->before.begin(), then->before.end(), first) == 0,
              cudaErrorInvalidValue);
      then->before.push_back(first);
    }
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        std::size_t count) {
  return call(__func__, [&](Runtime& r) {
    const Graph& graph = graph_of(r, handle);
    require(count == 0 || (from != nullptr && to != nullptr), cudaErrorInvalidValue);
    for (std::size_t i = 0; i < count; ++i) {
      Node *first = graph.find(from[i]), *then = graph.find(to[i]);
      require(first != nullptr && then != nullptr && std::erase(then->before, first) != 0,
              cudaErrorInvalidValue);
    }
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
  return call(__func__, [&](Runtime& r) {
    Node& node = node_of(r, handle);
    node.graph->remove(node);
  });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char* path, unsigned) {
  return call(__func__, [&](Runtime& r) {
    const Graph& graph = graph_of(r, handle);
    require(path != nullptr, cudaErrorInvalidValue);
    std::ofstream out(path);
    out << "digraph {\n";
    for (const auto& each : graph.nodes) {
      out << "  n" << each->serial << " [label=\"" << word(each->work) << " " << each->serial << "\"];\n";
      for (const Node* before : each->before)
        out << "  n" << before->serial << " -> n" << each->serial << ";\n";
    }
    out << "}\n";
    if (!out.flush()) fail(cudaErrorOperatingSystem, "%s cannot be written", path);
  });
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* out, void* pointer, cudaHostFn_t destroy, unsigned count,
                                 unsigned flags) {
  return call(__func__, [&](Runtime& r) {
    require(out != nullptr && destroy != nullptr && count != 0 && flags == cudaUserObjectNoDestructorSync,
            cudaErrorInvalidValue);
    auto object = std::make_unique<UserObject>(UserObject{{}, pointer, destroy, count});
    *out = reinterpret_cast<cudaUserObject_t>(r.handles.user_objects.add(std::move(object)));
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t handle, unsigned count) {
  return call(__func__, [&](Runtime& r) {
    UserObject* object = r.handles.user_objects.find(handle);
    require(object != nullptr && count != 0, cudaErrorInvalidValue);
    object->references += count;
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t handle, unsigned count) {
  return call(__func__, [&](Runtime& r) { release_user_object(r, handle, count); });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t handle, unsigned count,
                                      unsigned flags) {
  return call(__func__, [&](Runtime& r) {
    UserObject* object = r.handles.user_objects.find(handle);
    require(object != nullptr && count != 0, cudaErrorInvalidValue);
    if ((flags & cudaGraphUserObjectMove) == 0) object->references += count;
    graph_of(r, graph).user_objects[handle] += count;
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t handle, unsigned count) {
  return call(__func__, [&](Runtime& r) {
    auto& held = graph_of(r, graph).user_objects;
    const auto found = held.find(handle);
    require(found != held.end() && found->second >= count, cudaErrorInvalidValue);
    found->second -= count;
    release_user_object(r, handle, count);
  });
}

}  // extern "C"
