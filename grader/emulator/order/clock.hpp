// Vector clocks over the streams and graphs of a program (Fidge 1988, Mattern 1989).
//
// A timeline is a sequence of operations, each after the one before: a stream, or a chain of nodes of a
// graph. The operation with number `tick` of a timeline happened before everything whose clock knows that
// tick.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpgrade::emulator {

using Timeline = std::size_t;

class StreamClock {
 public:
  bool knows(Timeline timeline, std::uint64_t tick) const {
    return timeline < ticks_.size() && ticks_[timeline] >= tick;
  }
  bool knows(const StreamClock& other) const {
    for (Timeline i = 0; i < other.ticks_.size(); ++i)
      if (!knows(i, other.ticks_[i])) return false;
    return true;
  }
  void learn(Timeline timeline, std::uint64_t tick) {
    if (timeline >= ticks_.size()) ticks_.resize(timeline + 1);
    ticks_[timeline] = std::max(ticks_[timeline], tick);
  }
  void join(const StreamClock& other) {
    if (other.ticks_.size() > ticks_.size()) ticks_.resize(other.ticks_.size());
    for (Timeline i = 0; i < other.ticks_.size(); ++i) ticks_[i] = std::max(ticks_[i], other.ticks_[i]);
  }

 private:
  std::vector<std::uint64_t> ticks_;  // by timeline; what lies beyond the end is 0
};

}  // namespace warpgrade::emulator
