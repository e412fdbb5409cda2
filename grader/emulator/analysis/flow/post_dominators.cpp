#include "analysis/flow/post_dominators.hpp"

namespace warpgrade::emulator {
namespace {

class Search {
 public:
  explicit Search(const ControlFlow& flow)
      : flow_(flow), end_(static_cast<std::uint32_t>(flow.blocks.size())) {
    for (std::uint32_t b = 0; b < end_; ++b) {
      if (flow.blocks[b].successors.empty()) last_.push_back(b);
    }
  }

  std::vector<std::uint32_t> run() {
    number_blocks();
    parent_.assign(end_ + 1, kNoPostDominator);
    parent_[end_] = end_;
    for (bool changed = true; changed;) {
      changed = false;
      for (auto block = finished_.rbegin(); block != finished_.rend(); ++block) changed |= update(*block);
    }
    parent_.pop_back();
    for (std::uint32_t& parent : parent_) parent = parent == end_ ? kNoPostDominator : parent;
    return std::move(parent_);
  }

 private:
  // Predecessors in the graph are the successors in the reversed graph.
  const std::vector<std::uint32_t>& before(std::uint32_t block) const {
    return block == end_ ? last_ : flow_.blocks[block].predecessors;
  }

  // Postorder of a depth-first search of the reversed graph.
  void number_blocks() {
    number_.assign(end_ + 1, 0);
    std::vector<bool> seen(end_ + 1, false);
    std::vector<std::pair<std::uint32_t, std::size_t>> path{{end_, 0}};
    seen[end_] = true;
    std::uint32_t count = 0;
    while (!path.empty()) {
      auto& [block, next] = path.back();
      if (next < before(block).size()) {
        const std::uint32_t to = before(block)[next++];
        if (!seen[to]) path.push_back({to, 0});
        seen[to] = true;
        continue;
      }
      number_[block] = ++count;
      if (block != end_) finished_.push_back(block);
      path.pop_back();
    }
  }

  std::uint32_t common(std::uint32_t a, std::uint32_t b) const {
    while (a != b) {
      while (number_[a] < number_[b]) a = parent_[a];
      while (number_[b] < number_[a]) b = parent_[b];
    }
    return a;
  }

  bool update(std::uint32_t block) {
    std::uint32_t found = flow_.blocks[block].successors.empty() ? end_ : kNoPostDominator;
    for (std::uint32_t to : flow_.blocks[block].successors) {
      if (parent_[to] == kNoPostDominator) continue;
      found = found == kNoPostDominator ? to : common(to, found);
    }
    if (parent_[block] == found) return false;
    parent_[block] = found;
    return true;
  }

  const ControlFlow& flow_;
  const std::uint32_t end_;
  std::vector<std::uint32_t> last_, number_, finished_, parent_;
};

}  // namespace

std::vector<std::uint32_t> find_post_dominators(const ControlFlow& flow) { return Search(flow).run(); }

}  // namespace warpgrade::emulator
