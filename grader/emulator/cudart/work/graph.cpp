#include "cudart/work/graph.hpp"

#include <algorithm>
#include <set>

#include "symbols/host_call_site.hpp"

namespace warpgrade::cudart {

Node& Graph::add(Work work, std::vector<Node*> before) {
  auto node = std::make_unique<Node>();
  node->graph = this;
  node->serial = made++;
  node->work = std::move(work);
  node->before = std::move(before);
  node->call = emulator::current_call();
  nodes.push_back(std::move(node));
  return *nodes.back();
}

Node* Graph::find(const void* node) const {
  for (const auto& each : nodes)
    if (each.get() == node) return each.get();
  return nullptr;
}

void Graph::remove(Node& node) {
  for (const auto& each : nodes) std::erase(each->before, &node);
  std::erase_if(nodes, [&](const auto& each) { return each.get() == &node; });
}

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>();
  std::map<const Node*, Node*> twin;
  for (const auto& each : nodes) {
    Node& made_node = copy->add(each->work, {});
    made_node.cloned_from = each.get();
    made_node.call = each->call;
    if (auto* child = std::get_if<ChildWork>(&made_node.work)) child->graph = child->graph->clone();
    twin[each.get()] = &made_node;
  }
  for (const auto& each : nodes)
    for (const Node* dependency : each->before) twin[each.get()]->before.push_back(twin[dependency]);
  return copy;
}

std::vector<Node*> Graph::in_order() const {
  std::vector<Node*> order;
  std::set<const Node*> done;
  const auto ready = [&](const Node& node) {
    return std::all_of(node.before.begin(), node.before.end(), [&](Node* n) { return done.contains(n); });
  };
  for (bool found = true; found;) {
    found = false;
    for (const auto& each : nodes) {
      if (done.contains(each.get()) || !ready(*each)) continue;
      order.push_back(each.get());
      done.insert(each.get());
      found = true;
    }
  }
  return order;
}

cudaGraphNodeType type_of(const Work& work) {
  // Indexed like the alternatives of the variant Work.
  constexpr cudaGraphNodeType kTypes[] = {
      cudaGraphNodeTypeEmpty,     cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy,
      cudaGraphNodeTypeMemset,    cudaGraphNodeTypeHost,   cudaGraphNodeTypeEventRecord,
      cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeGraph,  cudaGraphNodeTypeMemAlloc,
      cudaGraphNodeTypeMemFree,
  };
  static_assert(std::size(kTypes) == std::variant_size_v<Work>);
  return kTypes[work.index()];
}

}  // namespace warpgrade::cudart
