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
  AddressRange bytes;  // some of those that both access
};

// Two sets of accesses race on these bytes: one of them writes. Atomics and other strong accesses do not race
// with one another.
std::optional<StreamConflict> conflict_of(const TouchedMemory& first, const TouchedMemory& second);

// Operations of which the host does not know that they are over.
class UnfinishedOperations {
 public:
  // Conflicts of this operation with those that are here, which it then joins. Of an operation that has seen
  // a flag that another one set, the other one is not compared.
  std::vector<StreamConflict> add(std::shared_ptr<const StreamOperation> operation);
  // Removes those that are over for the host.
  void remove_known(const StreamClock& host);
  // Removes what was recorded about memory that is given to another allocation.
  void forget(AddressRange bytes);
  void clear() { items_.clear(); }
  const std::vector<std::shared_ptr<const StreamOperation>>& items() const { return items_; }

 private:
  std::vector<std::shared_ptr<const StreamOperation>> items_;
};

}  // namespace warpgrade::emulator
