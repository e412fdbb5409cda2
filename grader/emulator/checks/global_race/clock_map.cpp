#include "checks/global_race/clock_map.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace warpgrade::emulator {
namespace {

constexpr unsigned kLeafBits = 3, kBits = 4;  // blocks of a leaf, children of a node
constexpr std::uint64_t kBlocks = 1u << kLeafBits, kChildren = 1u << kBits;

// Index of the child below a node of this height that contains the block.
std::uint64_t child_of(std::uint64_t block, unsigned height) {
  return block >> (kLeafBits + (height - 1) * kBits) & (kChildren - 1);
}

unsigned height_for(std::uint64_t block) {
  unsigned height = 0;
  for (std::uint64_t leaf = block >> kLeafBits; leaf != 0; leaf >>= kBits) ++height;
  return height;
}

}  // namespace

struct ClockMap::Node {
  std::array<Pointer, kChildren> child;
  std::vector<std::uint32_t> clocks;  // for a leaf, kBlocks rows of `warps`; 0: nothing
  std::uint32_t warps = 0;
};

bool ClockMap::is_before(std::uint64_t block, std::uint32_t warp, std::uint32_t time) const {
  if (height_for(block) > height_) return false;
  const Node* node = root_.get();
  for (unsigned height = height_; node != nullptr && height > 0; --height)
    node = node->child[child_of(block, height)].get();
  return node != nullptr && warp < node->warps && time < node->clocks[block % kBlocks * node->warps + warp];
}

ClockMap::Pointer ClockMap::leaf(std::uint64_t place, const WarpClock& clock) {
  auto made = std::make_shared<Node>();
  made->warps = static_cast<std::uint32_t>(clock.size());
  made->clocks.resize(kBlocks * clock.size());
  std::copy(clock.begin(), clock.end(),
            made->clocks.begin() + static_cast<std::ptrdiff_t>(place * clock.size()));
  return made;
}

ClockMap ClockMap::raised(std::uint64_t block, const WarpClock& clock) const {
  ClockMap one;
  one.root_ = leaf(block % kBlocks, clock);
  one.height_ = height_for(block);
  for (unsigned height = 1; height <= one.height_; ++height) {
    auto above = std::make_shared<Node>();
    above->child[child_of(block, height)] = std::move(one.root_);
    one.root_ = std::move(above);
  }
  return later(*this, one);
}

void ClockMap::lift(unsigned height) const {
  for (; height_ < height; ++height_) {
    if (!root_) continue;
    auto above = std::make_shared<Node>();
    above->child[0] = std::move(root_);
    root_ = std::move(above);
  }
}

ClockMap later(const ClockMap& a, const ClockMap& b) {
  ClockMap out;
  out.height_ = std::max(a.height_, b.height_);
  a.lift(out.height_);
  b.lift(out.height_);
  out.root_ = ClockMap::later_node(a.root_, b.root_, out.height_);
  return out;
}

// Lets equal nodes share one object, so that they are not compared again.
ClockMap::Pointer ClockMap::unite(Pointer& a, Pointer& b) {
  if (a < b)
    b = a;
  else
    a = b;
  return a;
}

ClockMap::Pointer ClockMap::later_leaf(Pointer& a, Pointer& b) {
  if (a->warps == b->warps) {
    if (a->clocks == b->clocks) return unite(a, b);
    bool a_later = false, b_later = false;
    for (std::size_t i = 0; i < a->clocks.size(); ++i) {
      a_later |= a->clocks[i] > b->clocks[i];
      b_later |= b->clocks[i] > a->clocks[i];
    }
    if (!b_later) return a;
    if (!a_later) return b;
  }
  auto made = std::make_shared<Node>();
  made->warps = std::max(a->warps, b->warps);
  made->clocks.resize(kBlocks * made->warps);
  for (const Node* from : {a.get(), b.get()})
    for (std::uint32_t block = 0; block < kBlocks; ++block)
      for (std::uint32_t warp = 0; warp < from->warps; ++warp) {
        std::uint32_t& to = made->clocks[block * made->warps + warp];
        to = std::max(to, from->clocks[block * from->warps + warp]);
      }
  return made;
}

ClockMap::Pointer ClockMap::later_node(Pointer& a, Pointer& b, unsigned height) {
  if (!b || a == b) return a;
  if (!a) return b;
  if (height == 0) return later_leaf(a, b);
  std::array<Pointer, kChildren> child;
  bool is_a = true, is_b = true;
  for (std::size_t i = 0; i < kChildren; ++i) {
    child[i] = later_node(a->child[i], b->child[i], height - 1);
    is_a &= child[i] == a->child[i];
    is_b &= child[i] == b->child[i];
  }
  if (is_a && is_b) return unite(a, b);
  if (is_a) return a;
  if (is_b) return b;
  auto made = std::make_shared<Node>();
  made->child = std::move(child);
  return made;
}

}  // namespace warpgrade::emulator
