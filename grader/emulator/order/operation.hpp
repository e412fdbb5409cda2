// What a stream executes, for the check of order: a kernel, a copy, a fill, and so on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "machine/memory/touched_memory.hpp"
#include "order/clock.hpp"

namespace warpgrade::emulator {

struct StreamOperation;

// An access of the host to memory that it shares with the device.
struct HostAccess {
  std::uint64_t address = 0, bytes = 1;
  bool write = false;
  const void* call = nullptr;  // as a return address: the address after the instruction
  // The host function of a stream that makes the access, or null.
  std::shared_ptr<const StreamOperation> function = {};
  bool seen_later = false;  // it came before the call that noticed it
};

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
  // For a kernel that has not run: the memory shared with the host that it may access, and the host's
  // accesses to that memory in the meantime.
  TouchedMemory expected;
  std::vector<HostAccess> early;
  // For a kernel: whether its code has a fence that orders its writes before a flag for the host.
  bool fences_for_host = true;

  bool is_after(const StreamOperation& other) const { return before.knows(other.timeline, other.tick); }
};

}  // namespace warpgrade::emulator
