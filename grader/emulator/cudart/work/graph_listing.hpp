// The nodes that a launch of a graph runs, as one list: child graphs replace their nodes.
#pragma once

#include <cstddef>
#include <vector>

#include "cudart/work/graph.hpp"

namespace warpgrade::cudart {

struct ListedNode {
  const Node* node = nullptr;       // null: only joins what is before it; a disabled node does so, too
  std::vector<std::size_t> before;  // places in the list, each less than this node's own
};

std::vector<ListedNode> listed(const GraphExec& exec);

}  // namespace warpgrade::cudart
