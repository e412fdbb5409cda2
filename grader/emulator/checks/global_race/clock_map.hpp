// A vector clock indexed by block and warp. It is a persistent map: a radix tree that copies the changed
// path. Maps share equal subtrees, so the maximum of two maps costs time and memory only for their
// differences.
#pragma once

#include <cstdint>
#include <memory>

#include "checks/clocks/block_clock.hpp"

namespace warpgrade::emulator {

class ClockMap {
 public:
  // Is `time` of this warp before the warp's clock?
  bool is_before(std::uint64_t block, std::uint32_t warp, std::uint32_t time) const;
  // A copy in which the block's clock is the maximum of its entry and `clock`.
  ClockMap raised(std::uint64_t block, const WarpClock& clock) const;
  // The maximum of both, entry by entry.
  friend ClockMap later(const ClockMap& a, const ClockMap& b);

 private:
  struct Node;
  using Pointer = std::shared_ptr<Node>;

  static Pointer leaf(std::uint64_t place, const WarpClock& clock);
  static Pointer unite(Pointer& a, Pointer& b);
  static Pointer later_leaf(Pointer& a, Pointer& b);
  static Pointer later_node(Pointer& a, Pointer& b, unsigned height);
  void lift(unsigned height) const;

  // Mutable: equal subtrees of two maps are shared when a comparison finds them.
  mutable Pointer root_;
  mutable unsigned height_ = 0;  // height of the tree: 0 is a leaf alone
};

ClockMap later(const ClockMap& a, const ClockMap& b);

}  // namespace warpgrade::emulator
