// The bytes of registered memory that unfinished operations access on pages that PageGuard cannot close,
// because other data of the program shares these pages. A write by the host is noticed later, by a changed
// value.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cudart/work/commands.hpp"
#include "machine/memory/device_memory.hpp"

namespace warpgrade::cudart {

class UnguardedBytes {
 public:
  // Saves the values of the bytes that the operation has accessed, or will access.
  void add(const Operation& operation, const emulator::DeviceMemory& memory);
  // An operation has written these bytes: drops their saved values.
  void written(const emulator::TouchedMemory& touched);
  // The program itself may have written legitimately, in a host function of a stream: saves the values again.
  void take_again();
  void clear() { pieces_.clear(); }
  bool empty() const { return pieces_.empty(); }

  // Reports each operation one of whose bytes has changed, with that byte's address, and forgets the
  // operation.
  using Changed = std::function<void(const Operation& operation, std::uint64_t address)>;
  void compare(const Changed& changed);
  // Forgets the operations of which this is true.
  void forget(const std::function<bool(const Operation&)>& is_over);

 private:
  struct Piece {
    Operation operation;
    emulator::AddressRange bytes;
    std::vector<std::uint8_t> values;
  };
  void keep(const Operation& operation, const emulator::AddressRanges& ranges,
            const emulator::DeviceMemory& memory);

  std::vector<Piece> pieces_;
};

}  // namespace warpgrade::cudart
