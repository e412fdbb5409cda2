// Operations that access the same bytes without an order between them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "order/operation.hpp"

namespace warpgrade::emulator {

struct StreamConflict {
  std::shared_ptr<const StreamOperation> first, second;  // in the order of the calls
  bool first_writes = false, second_writes = false;
  AddressRange bytes;  // some of the bytes that both access
};

// Two sets of accesses race on these bytes: one of them writes. Atomics and other strong accesses do not race
// with one another.
std::optional<StreamConflict> conflict_of(const TouchedMemory& first, const TouchedMemory& second);

// Operations that may not be over, as far as the host knows.
class UnfinishedOperations {
 public:
  // Returns the conflicts of this operation with the unfinished ones, then adds it to them. An operation that
  // has read a flag is not compared with the operation that set the flag.
  std::vector<StreamConflict> add(std::shared_ptr<const StreamOperation> operation);
  // Removes the operations that are over for the host.
  void remove_known(const StreamClock& host);
  // Forgets accesses to memory that is given to another allocation.
  void forget(AddressRange bytes);
  void clear() { items_.clear(); }
  const std::vector<std::shared_ptr<const StreamOperation>>& items() const { return items_; }

 private:
  std::vector<std::shared_ptr<const StreamOperation>> items_;
};

}  // namespace warpgrade::emulator
