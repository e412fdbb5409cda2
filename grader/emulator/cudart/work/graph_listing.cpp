#include "cudart/work/graph_listing.hpp"

#include <map>

namespace warpgrade::cudart {
namespace {

class Listing {
 public:
  explicit Listing(const GraphExec& exec) : exec_(exec) {}

  // Adds the graph's nodes, which begin after `entry`. Returns the dependencies of work that follows the
  // graph.
  std::vector<std::size_t> add(const Graph& graph, const std::vector<std::size_t>& entry) {
    std::map<const Node*, std::size_t> end;
    std::vector<std::size_t> all;
    for (const Node* node : graph.in_order()) {
      std::vector<std::size_t> before = node->before.empty() ? entry : std::vector<std::size_t>();
      for (const Node* each : node->before) before.push_back(end[each]);
      const auto off = exec_.disabled.find(node);
      const auto* child = std::get_if<ChildWork>(&node->work);
      if (off != exec_.disabled.end() && off->second)
        end[node] = joint(std::move(before));
      else if (child != nullptr)
        end[node] = joint(add(*child->graph, {joint(std::move(before))}));
      else
        end[node] = put({node, std::move(before)});
      all.push_back(end[node]);
    }
    return all.empty() ? entry : all;
  }

  std::vector<ListedNode> nodes;

 private:
  std::size_t put(ListedNode node) {
    nodes.push_back(std::move(node));
    return nodes.size() - 1;
  }
  std::size_t joint(std::vector<std::size_t> before) { return put({nullptr, std::move(before)}); }

  const GraphExec& exec_;
};

}  // namespace

std::vector<ListedNode> listed(const GraphExec& exec) {
  Listing listing(exec);
  listing.add(*exec.graph, {});
  return std::move(listing.nodes);
}

}  // namespace warpgrade::cudart
