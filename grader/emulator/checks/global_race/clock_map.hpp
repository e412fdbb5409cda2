// By block, what its warps have done: a map that never changes. Maps share what they have in common, so that
// the later of two costs what they differ in, and memory too (a radix tree whose paths are copied).
#pragma once

#include <cstdint>
#include <memory>

#include "checks/clocks/block_clock.hpp"

namespace warpgrade::emulator {

class ClockMap {
 public:
  // Is `time` of `warp` of `block` before its clock?
  bool says(std::uint64_t block, std::uint32_t warp, std::uint32_t time) const;
  // With this clock of the block, where it is later.
  ClockMap raised(std::uint64_t block, const WarpClock& clock) const;
  // The later of both, warp by warp.
  friend ClockMap later(const ClockMap& a, const ClockMap& b);

 private:
  struct Node;
  using Pointer = std::shared_ptr<Node>;

  static Pointer leaf(std::uint64_t place, const WarpClock& clock);
  static Pointer unite(Pointer& a, Pointer& b);
  static Pointer later_leaf(Pointer& a, Pointer& b);
  static Pointer later_node(Pointer& a, Pointer& b, unsigned height);
  void lift(unsigned height) const;

  // How it is kept changes when two maps are found to say the same in a part.
  mutable Pointer root_;
  mutable unsigned height_ = 0;  // of the tree: 0 is a leaf alone
};

ClockMap later(const ClockMap& a, const ClockMap& b);

}  // namespace warpgrade::emulator
