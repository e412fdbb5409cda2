// Work of streams that nothing has waited for yet (WARPGRADE_STREAMS=late).
//
// A GPU may do the work of a stream at any time until the program waits for it. Here it is done as late as
// CUDA allows: when a call waits for it. So a program that reads a result without waiting finds the old
// bytes, on every run, and work of two streams that no event orders is done in the order in which the program
// waits.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "cudart/work/commands.hpp"

namespace warpgrade::cudart {

struct Stream;

class PendingWork {
 public:
  // Appends work to the stream. What the host must see at once, such as a copy from pageable memory, is
  // copied or done first. Throws Failure.
  void add(Runtime& runtime, const Stream& stream, Work work, Operation operation);
  // Run the work that the stream, or the event's last record, waits for, in the order of the calls. Throw
  // Failure.
  void finish(Runtime& runtime, const Stream& stream);
  void finish(Runtime& runtime, const Event& event);
  void finish_all(Runtime& runtime);

  bool has(const Stream& stream) const;
  bool has(const Event& event) const;
  bool empty() const { return items_.empty(); }
  void forget(const Event& event);  // the event is destroyed: its records have no effect any more
  void clear() { items_.clear(); }
  // Descriptions of the remaining work: "kernel scale", "a copy of 400 bytes from device to host".
  std::vector<std::string> descriptions() const;

 private:
  struct Item {
    std::uint64_t serial = 0;
    std::uint64_t stream = 0;      // Stream::id
    bool legacy = false;           // the work is in the legacy default stream
    bool blocking = false;         // waits for the legacy default stream and is waited for by it
    std::uint64_t waits_for = 0;   // serial of the record that a WaitWork waits for
    const Event* event = nullptr;  // set if the work is a RecordWork
    Work work;
    Operation operation;
    std::vector<std::byte> staged;  // bytes of a pageable source
    bool needed = false;
  };
  // Marks the items before `end` that the streams and records marked so far depend on, and does all marked
  // ones.
  void run_needed(Runtime& runtime, std::size_t end);

  std::deque<Item> items_;
  std::uint64_t serial_ = 0;
};

}  // namespace warpgrade::cudart
