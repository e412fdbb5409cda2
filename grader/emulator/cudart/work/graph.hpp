// Graphs of work, and the capture of a stream into one.
#pragma once

#include <driver_types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "cudart/work/commands.hpp"
#include "order/clock.hpp"

namespace warpgrade::cudart {

struct Graph;

// An object that the program creates and destroys.
struct Made {
  const void* made_at = nullptr;  // the program's call that made it
};

struct Node {
  Graph* graph = nullptr;
  std::uint64_t serial = 0;  // order of creation
  Work work;
  std::vector<Node*> before;   // dependencies
  const void* call = nullptr;  // the program's call that made it
  const Node* cloned_from = nullptr;
  std::vector<void*> argument_pointers;  // cudaGraphKernelNodeGetParams hands these out
};

struct Graph : Made {
  std::vector<std::unique_ptr<Node>> nodes;  // in order of creation
  std::map<void*, std::uint64_t> user_objects;
  std::uint64_t made = 0;

  Node& add(Work work, std::vector<Node*> before);
  Node* find(const void* node) const;  // null if the node is not of this graph
  void remove(Node& node);
  std::unique_ptr<Graph> clone() const;
  // Sorted so that each node follows its dependencies, otherwise in order of creation. Shorter than `nodes`
  // if there is a cycle.
  std::vector<Node*> in_order() const;
};

struct GraphExec : Made {
  std::unique_ptr<Graph> graph;     // a clone: later changes of the original do not reach it
  std::map<const Node*, Node*> of;  // the original's node → its clone
  std::map<const Node*, bool> disabled;
  unsigned long long flags = 0;
  std::vector<emulator::Timeline> timelines;  // of its chains of nodes, the same for each launch
  emulator::StreamClock last_launch;          // clock after the previous launch of this graph
};

struct Capture {
  std::uint64_t id = 0;
  std::unique_ptr<Graph> owned;  // null: captured into a graph of the program's
  Graph* graph = nullptr;
  void* origin = nullptr;  // the stream that it began in
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  bool invalidated = false;
};

cudaGraphNodeType type_of(const Work& work);

}  // namespace warpgrade::cudart
