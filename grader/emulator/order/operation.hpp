// What a stream executes, for the check of order: a kernel, a copy, a fill, and so on.
#pragma once

#include <cstdint>
#include <string>

#include "machine/touched_memory.hpp"
#include "order/clock.hpp"

namespace warpgrade::emulator {

struct StreamOperation {
  enum class Kind : std::uint8_t { work, allocation, release };  // `work`: a kernel, a copy or a fill
  Kind kind = Kind::work;
  std::string name;            // "kernel scale", "cudaMemcpyAsync"
  std::string stream;          // "stream 1", "the default stream", "a graph in stream 1"; empty: the host
  const void* call = nullptr;  // return address of the host's call
  std::uint64_t graph = 0;     // number of the graph's launch that it belongs to, 0: none
  Timeline timeline = 0;
  std::uint64_t tick = 0;  // its number in the timeline, from 1
  StreamClock before;      // what happens before it
  TouchedMemory touched;

  bool is_after(const StreamOperation& other) const { return before.knows(other.timeline, other.tick); }
};

}  // namespace warpgrade::emulator
