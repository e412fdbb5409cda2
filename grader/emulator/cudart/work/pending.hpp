// Work of streams and graphs that nothing has waited for yet (WARPGRADE_ORDER=late, random:SEED).
//
// A GPU may do the work of a stream at any time until the program waits for it. Here it is done as late as
// CUDA allows: when a call waits for it, in the order of the calls; or in a random order among those that the
// streams allow. So a program that reads a result without waiting gets the old bytes, and a program that
// lacks an order between two streams gets other results.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "cudart/runtime/config.hpp"
#include "cudart/work/commands.hpp"
#include "order/clock.hpp"

namespace warpgrade::cudart {

struct Stream;

class PendingWork {
 public:
  explicit PendingWork(const Config& config)
      : is_random_(config.work_order == WorkOrder::random), chance_(config.seed) {}

  // Appends work to its stream. What the host must see at once, such as a copy from pageable memory, is
  // copied or done first. Throws Failure.
  void add(Runtime& runtime, Work work, Operation operation);
  // Appends a node of a graph that is launched.
  void add_node(Runtime& runtime, const Work& work, Operation operation);
  // Run the work that `clock` knows, or all. Throw Failure.
  void finish(Runtime& runtime, const emulator::StreamClock& clock);
  void finish_all(Runtime& runtime);

  bool has(const emulator::StreamClock& clock) const;  // any work that it knows
  bool empty() const { return items_.empty(); }
  void forget(const Event& event);  // the event is destroyed: its records have no effect any more
  void clear() { items_.clear(); }
  // Descriptions of the remaining work: "kernel scale", "a copy of 400 bytes from device to host".
  std::vector<std::string> descriptions() const;

 private:
  struct Item {
    Work work;
    Operation operation;
    std::vector<std::byte> staged;  // bytes of a pageable source
  };
  static bool is_known(const Item& item, const emulator::StreamClock& clock);
  void append(Runtime& runtime, Item item);
  void run_at(Runtime& runtime, std::size_t index);
  // An item that is after none of the others, chosen by chance.
  std::size_t any_ready();

  std::vector<Item> items_;  // in the order of the calls
  bool is_random_;
  std::mt19937_64 chance_;
};

}  // namespace warpgrade::cudart
